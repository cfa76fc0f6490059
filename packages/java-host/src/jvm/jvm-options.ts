/** Options of a JVM as texts: a worker setting, and the file `jvm.options` in a plugin's folder. */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readRegularFile } from '@millrace/sdk';
import { JvmError } from './jvm-errors';
import { isScarcity } from './scarcity';

const FILE = 'jvm.options';
const MAX_BYTES = 64 * 1024;
const MAX_OPTIONS = 256;

/** They would replace the host, its class path or its socket. */
const REFUSED =
  /^(?:-cp|-classpath|--class-path(?:=.*)?|-jar|-m|--module(?:=.*)?|--source|-version|--version|-help|--help|-h|-\?|-X|--dry-run|-Djava\.class\.path=.*)$/;

/** Between white space; quotes keep it. Throws an Error whose message is only the reason. */
export function parseOptions(text: string): readonly string[] {
  if (/[^\P{Cc}\s]/u.test(text)) throw new Error('it contains a control character');
  const options: string[] = [];
  let option: string | null = null;
  let isQuoted = false;
  for (const char of text) {
    if (char === '"') {
      isQuoted = !isQuoted;
      option ??= '';
    } else if (isQuoted || char.trim() !== '') option = (option ?? '') + char;
    else if (option !== null) {
      options.push(option);
      option = null;
    }
  }
  if (isQuoted) throw new Error('a quote is not closed');
  if (option !== null) options.push(option);
  if (options.length > MAX_OPTIONS) throw new Error(`it has more than ${MAX_OPTIONS} options`);
  for (const option of options) checkOption(option);
  return options;
}

function checkOption(option: string): void {
  if (!option.startsWith('-'))
    throw new Error(
      `${option} does not begin with "-"; the value of an option follows "=", e.g. --add-opens=java.base/java.lang=ALL-UNNAMED`,
    );
  if (REFUSED.test(option)) throw new Error(`${option} is not possible for the JVM of a plugin`);
}

/** Those of the worker. Throws JvmError `JVM_OPTIONS_INVALID`. */
export function workerOptions(text: string): readonly string[] {
  try {
    return parseOptions(text);
  } catch (error) {
    throw invalid('the worker setting jvm.options', (error as Error).message);
  }
}

/**
 * Those of `jvm.options` in the folder of a plugin: one or more options a line; lines that begin with # are comments.
 * None without such a file.
 */
export async function folderOptions(location: string): Promise<readonly string[]> {
  const path = join(folderOf(location), FILE);
  let text: string;
  try {
    text = String(await readRegularFile(path, MAX_BYTES));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    if (isScarcity(error)) throw error;
    throw invalid(path, (error as Error).message);
  }
  try {
    return parseOptions(
      text
        .split('\n')
        .filter((line) => !line.trimStart().startsWith('#'))
        .join('\n'),
    );
  } catch (error) {
    throw invalid(path, (error as Error).message);
  }
}

/** A plugin may be a single jar. Then the file beside it counts for all such jars of that folder. */
function folderOf(location: string): string {
  return statSync(location, { throwIfNoEntry: false })?.isFile() ? dirname(location) : location;
}

function invalid(place: string, reason: string): JvmError {
  return new JvmError({
    code: 'JVM_OPTIONS_INVALID',
    message: `The options of the JVM in ${place} cannot be used: ${reason}.`,
    detail: null,
    kind: 'final',
  });
}
