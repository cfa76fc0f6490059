/** Finds the `java` that runs JVMs, and checks its version. */
import { execFile, type ExecFileException } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { JvmError, type JvmFailure } from './jvm-errors';
import { isScarcity } from './scarcity';

/** What the host is compiled for. */
const OLDEST = 17;
/** For the answer to `-version`, also on a busy machine. */
const VERSION_MS = 30_000;
const INSTALL = `Install Java ${OLDEST} or newer and set java.home or JAVA_HOME to its folder, or add its java to the PATH`;

type Environment = Readonly<Record<string, string | undefined>>;

export interface Java {
  /** The program. */
  readonly path: string;
  /** E.g. `17.0.15`. */
  readonly version: string;
}

export interface FindJavaOptions {
  /** Of the worker's setting `java.home`. */
  readonly home: string | null;
  readonly env: Environment;
  readonly platform?: NodeJS.Platform;
}

/** Rejects with JvmError `JAVA_MISSING`, `JAVA_TOO_OLD` or `JAVA_PLATFORM`; `JVM_START_FAILED` if it was ended. */
export async function findJava({ home, env, platform = process.platform }: FindJavaOptions): Promise<Java> {
  if (platform === 'win32')
    throw final({
      code: 'JAVA_PLATFORM',
      message: 'Java plugins do not run on Windows: run this worker in WSL, in a container, or on Linux or macOS.',
    });
  const path = await programOf(home, env);
  const version = javaVersion(await versionText(path, env));
  if (version === null)
    throw final({ code: 'JAVA_MISSING', message: `${path} does not answer like Java to -version. ${INSTALL}.` });
  if (majorOf(version) < OLDEST)
    throw final({
      code: 'JAVA_TOO_OLD',
      message: `${path} is Java ${version}, and Java plugins need Java ${OLDEST} or newer. ${INSTALL}.`,
    });
  return { path, version };
}

async function programOf(home: string | null, env: Environment): Promise<string> {
  const named = home === null ? env['JAVA_HOME'] : home;
  if (named) {
    const path = join(named, 'bin', 'java');
    if (await isProgram(path)) return path;
    const setting = home === null ? 'the variable JAVA_HOME' : 'the worker setting java.home';
    throw final({
      code: 'JAVA_MISSING',
      message: `There is no program ${path}, although ${setting} is ${named}. ${INSTALL}.`,
    });
  }
  // Relative folders would depend on where the worker was started.
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)) {
    const path = join(folder, 'java');
    if (await isProgram(path)) return path;
  }
  throw final({
    code: 'JAVA_MISSING',
    message: `Java plugins need Java, and this machine has no java on its PATH. ${INSTALL}.`,
  });
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch (error) {
    if (isScarcity(error)) throw error;
    return false;
  }
}

async function versionText(path: string, env: Environment): Promise<string> {
  try {
    const { stdout, stderr } = await promisify(execFile)(path, ['-version'], {
      timeout: VERSION_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 64 * 1024,
      // Options of a variable would be printed, and are not for this call.
      env: { PATH: env['PATH'] ?? '' },
    });
    return stderr + stdout;
  } catch (error) {
    throw versionFailure(path, error as ExecFileException);
  }
}

/** A program that was killed, or had no memory, processes or files, is there: another start may succeed. */
function versionFailure(path: string, error: ExecFileException): JvmError {
  const { code, signal, stderr = '', stdout = '' } = error;
  const said = (stderr + stdout).trim().slice(0, 1000).split('\n').join('; ');
  const how = signal ? `it was ended by ${signal}` : said || `it failed (${code})`;
  if (signal || isScarcity(error) || /initialization of VM|insufficient memory/i.test(said))
    return new JvmError({
      code: 'JVM_START_FAILED',
      message: `The version of ${path} cannot be found out: ${how}.`,
      detail: null,
      kind: 'restart',
    });
  return final({ code: 'JAVA_MISSING', message: `${path} cannot be run: ${how}. ${INSTALL}.` });
}

/** From the answer to `java -version`; null: there is none. */
export function javaVersion(text: string): string | null {
  return /version "(?<version>\d[\w.+-]*)"/.exec(text)?.groups?.['version'] ?? null;
}

/** 8 for `1.8.0_412`. */
export function majorOf(version: string): number {
  return Number(/^(?:1\.)?(?<major>\d+)/.exec(version)?.groups?.['major']);
}

function final(failure: Pick<JvmFailure, 'code' | 'message'>): JvmError {
  return new JvmError({ ...failure, detail: null, kind: 'final' });
}
