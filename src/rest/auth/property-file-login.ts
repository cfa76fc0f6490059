/**
 * Java's PropertyFileLoginModule: users and passwords in properties files that the `KafkaConnect` section of a JAAS
 * file names. The files are read once, as in Java.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ConfigError, readRegularFileSync } from '@millrace/sdk';
import { parseProperties } from '@millrace/texts/properties';
import { JAAS_FILE, jaasPath } from '../../config/rest-auth-settings';
import type { Logger } from '../../logging/logger';
import type { BasicCredentials } from './basic-credentials';

interface LoginModule {
  readonly loginModule: string;
  readonly options: Readonly<Record<string, string>>;
}

/** Parses the sections of a JAAS file. Throws an error that `invalid` creates. */
export type ReadJaasFile = (
  source: string,
  invalid: (problem: string) => Error,
) => ReadonlyMap<string, readonly LoginModule[]>;

const SECTION = 'KafkaConnect';
const MODULE = 'PropertyFileLoginModule';
const MODULES = [`org.apache.kafka.connect.rest.basic.auth.extension.${MODULE}`, MODULE];
const MAX_BYTES = 4 * 1024 * 1024;

const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();
const NO_PASSWORD = digest('');

/** Digests of passwords by user. */
type Users = ReadonlyMap<string, Buffer>;

export class PropertyFileLogin {
  /** @param files one for each login module */
  private constructor(private readonly files: readonly Users[]) {}

  /** Throws ConfigError `WORKER_CONFIG_INVALID`, without any value of the files. */
  static read(jaasFile: string, readJaas: ReadJaasFile, logger: Logger): PropertyFileLogin {
    const files = passwordFiles(jaasFile, readJaas);
    return new PropertyFileLogin(
      files.map((file) => {
        const users = usersOf(file);
        if (users.size === 0)
          logger.warn(`The credentials file ${file} is empty, so the REST API accepts every request, as in Java`);
        return users;
      }),
    );
  }

  /** As in Java, an empty file admits everyone, with or without credentials. */
  get admitsEveryone(): boolean {
    return this.files.some((users) => users.size === 0);
  }

  knows(user: string): boolean {
    return this.files.some((users) => users.has(user));
  }

  /**
   * As in Java, one module that knows the user and the password is enough, whatever the flags: a module without a match
   * asks to be ignored.
   */
  accepts(credentials: BasicCredentials | null): boolean {
    let accepted = this.admitsEveryone;
    if (credentials === null) return accepted;
    const given = digest(credentials.password);
    for (const users of this.files) {
      const expected = users.get(credentials.user);
      // An unknown user takes as long as a wrong password.
      const equal = timingSafeEqual(given, expected ?? NO_PASSWORD);
      accepted ||= equal && expected !== undefined;
    }
    return accepted;
  }
}

function invalid(problem: string, cause?: unknown): ConfigError {
  return new ConfigError(`Worker setting "${JAAS_FILE}" is invalid: ${problem}.`, {
    code: 'WORKER_CONFIG_INVALID',
    place: { key: JAAS_FILE },
    cause,
  });
}

function passwordFiles(jaasFile: string, readJaas: ReadJaasFile): readonly string[] {
  const path = jaasPath(jaasFile);
  const sections = readJaas(bytesOf(path).toString('utf8'), (problem) => invalid(`the JAAS file ${path} ${problem}`));
  const modules = sections.get(SECTION) ?? [];
  if (modules.length === 0) throw invalid(`the JAAS file ${path} needs a section ${SECTION} with a login module`);
  return modules.map(({ loginModule, options }) => {
    if (!MODULES.includes(loginModule))
      throw invalid(
        `the login module ${loginModule} in ${path} is a Java class and cannot run here; use ${MODULES[0]}, or bearer tokens (rest.auth.jwks.url)`,
      );
    const file = options['file']?.trim() ?? '';
    if (file === '') throw invalid(`${MODULE} in ${path} needs file="…", the path of its credentials file`);
    if (file.includes('${')) throw invalid(`the file of ${MODULE} in ${path} must be a path without \${…}`);
    return file;
  });
}

/** In Java's format, whose bytes are Latin-1. */
function usersOf(file: string): Users {
  let users: Readonly<Record<string, string>>;
  try {
    users = parseProperties(bytesOf(file).toString('latin1'));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw invalid(`the credentials file ${file} is not in properties format: ${(error as Error).message}`, error);
  }
  return new Map(Object.entries(users).map(([user, password]) => [user, digest(password)]));
}

function bytesOf(path: string): Buffer {
  try {
    return readRegularFileSync(path, MAX_BYTES);
  } catch (error) {
    throw invalid(`cannot read ${path}: ${(error as Error).message}`, error);
  }
}
