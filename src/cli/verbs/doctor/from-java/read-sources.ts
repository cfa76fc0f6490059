/** Reads the properties and the environment of a Java worker. Values of config providers are not read. */
import { resolve } from 'node:path';
import type { CliIo } from '@millrace/cli';
import { ConnectError, messageOf, readRegularFileSync } from '@millrace/sdk';
import { parseProperties, PropertiesSyntaxError } from '@millrace/texts/properties';
import type { Environment } from '../../../../config/image-variables';

const LARGEST_FILE = 1024 * 1024;

export interface JavaWorker {
  /** As the command line names it; null: none. */
  readonly file: string | null;
  readonly properties: Readonly<Record<string, string>>;
  /** Why the file is not a properties file; null: it is one. */
  readonly syntax: string | null;
  readonly env: Environment;
}

/**
 * @param envFile variables in place of those of this process
 * @throws ConnectError `CLI_DOCUMENT_INVALID` for a file that cannot be read
 */
export function readJavaWorker(
  { file, envFile }: { readonly file?: string; readonly envFile?: string },
  { env, cwd }: Pick<CliIo, 'env' | 'cwd'>,
): JavaWorker {
  const variables = envFile === undefined ? env : parseVariables(textOf(envFile, cwd));
  if (file === undefined) return { file: null, properties: {}, syntax: null, env: variables };
  const text = textOf(file, cwd);
  try {
    return { file, properties: parseProperties(text), syntax: null, env: variables };
  } catch (error) {
    if (!(error instanceof PropertiesSyntaxError)) throw error;
    return { file, properties: {}, syntax: error.message, env: variables };
  }
}

function textOf(file: string, cwd: string): string {
  try {
    return readRegularFileSync(resolve(cwd, file), LARGEST_FILE).toString('utf8');
  } catch (cause) {
    throw new ConnectError(`${file}: it cannot be read: ${messageOf(cause)}`, { code: 'CLI_DOCUMENT_INVALID', cause });
  }
}

const VARIABLE = /^(?:export |- )?([A-Za-z_][A-Za-z0-9_]*)(?:=|: )(.*)$/;

/** `NAME=value` per line, as `env` and container engines write them, or `NAME: value`, as in compose files. */
function parseVariables(text: string): Environment {
  const found = new Map<string, string>();
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const [, name, value = ''] = VARIABLE.exec(line.trim()) ?? [];
    if (name !== undefined) found.set(name, unquoted(value.trim()));
  }
  return Object.fromEntries(found);
}

function unquoted(value: string): string {
  return /^(["']).*\1$/s.test(value) && value.length > 1 ? value.slice(1, -1) : value;
}
