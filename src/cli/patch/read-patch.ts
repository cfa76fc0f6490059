/** What `millrace patch` changes: `key=value` sets a key, `key-` removes it, `--patch` has both in one mapping. */
import { ConnectError } from '@millrace/sdk';
import { parseYaml } from '../documents/parse-yaml';

/** Null removes the key. */
export type ConfigPatch = Readonly<Record<string, string | null>>;

/** @throws ConnectError `CLI_USAGE` */
export function readPatch(words: readonly string[], mapping: string | undefined): ConfigPatch {
  const patch = new Map<string, string | null>(mapping === undefined ? [] : entriesOf(mapping));
  for (const word of words) {
    const equals = word.indexOf('=');
    if (equals > 0) patch.set(word.slice(0, equals), word.slice(equals + 1));
    else if (equals === -1 && word.endsWith('-') && word.length > 1) patch.set(word.slice(0, -1), null);
    else throw usage(`"${word}" is neither key=value nor key-.`);
  }
  if (patch.size === 0) throw usage('Specify what to change: key=value, key- or --patch.');
  return Object.fromEntries(patch);
}

function entriesOf(text: string): [string, string | null][] {
  let value: unknown;
  try {
    [value] = parseYaml(text);
  } catch (error) {
    throw usage(`--patch is not valid: ${(error as Error).message}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usage('--patch must be a mapping, such as {"tasks.max": "2", "topic": null}.');
  return Object.entries(value).map(([key, member]) => {
    if (typeof member !== 'string' && member !== null) throw usage(`"${key}" of --patch must be a text or null.`);
    return [key, member];
  });
}

function usage(message: string): ConnectError {
  return new ConnectError(message, { code: 'CLI_USAGE' });
}
