/**
 * The contexts file: named clusters, one of them the current one. YAML. Its place is MILLRACE_CONTEXTS, otherwise
 * `millrace/contexts.yaml` in the user's configuration folder. It has no credentials, but may name a file that does.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ConnectError } from '@millrace/sdk';
import type { stringify } from 'yaml';
import type { parseYaml } from '../documents/parse-yaml';
import type { CliIo } from '../io';

/** Paths are absolute, or relative to the contexts file. */
export interface Context {
  /** Of the REST API, e.g. `https://connect:8083`; several workers separated by commas. */
  readonly url: string;
  /** PEM file of the certificate authorities to trust. (Default: Node's) */
  readonly ca?: string;
  /** PEM files of the client's certificate and private key. */
  readonly certificate?: string;
  readonly key?: string;
  /** Properties file with `username` and `password`, or `token`; `key.password` for an encrypted private key. */
  readonly credentials?: string;
  /** Worker settings to connect to Kafka with, for commands that read or write topics. */
  readonly config?: string;
}

export interface Contexts {
  readonly current?: string;
  readonly contexts: Readonly<Record<string, Context>>;
}

export const CONTEXT_KEYS = ['url', 'ca', 'certificate', 'key', 'credentials', 'config'] as const;

const LARGEST_FILE = 1024 * 1024;

type Place = Pick<CliIo, 'env' | 'cwd'>;

export function contextsPath({ env, cwd }: Place): string {
  if (env.MILLRACE_CONTEXTS) return resolve(cwd, env.MILLRACE_CONTEXTS);
  const base = env.XDG_CONFIG_HOME || env.APPDATA || join(env.HOME || homedir(), '.config');
  return resolve(cwd, base, 'millrace', 'contexts.yaml');
}

/** No contexts if the file does not exist. @throws ConnectError `CLI_CONTEXT_INVALID` */
export function readContexts(place: Place): Contexts {
  const path = contextsPath(place);
  let text: string;
  try {
    if (statSync(path).size > LARGEST_FILE) throw new Error(`it is larger than ${LARGEST_FILE} bytes`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { contexts: {} };
    throw invalid(path, (error as Error).message, error);
  }
  try {
    return checked(loadParser().parseYaml(text)[0] ?? null);
  } catch (error) {
    throw invalid(path, (error as Error).message.split('\n')[0] as string, error);
  }
}

/** Replaces the file at once, readable by its owner only. */
export function writeContexts(place: Place, contexts: Contexts): void {
  const path = contextsPath(place);
  const next = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(next, loadYaml().stringify(contexts), { mode: 0o600 });
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw invalid(path, (error as Error).message, error);
  }
}

function checked(value: unknown): Contexts {
  if (value === null) return { contexts: {} };
  const { current, contexts = {} } = mapping(value, 'The file');
  if (current !== undefined && typeof current !== 'string') throw new Error('"current" must be the name of a context.');
  return {
    ...(current !== undefined && { current }),
    contexts: Object.fromEntries(
      Object.entries(mapping(contexts, '"contexts"')).map(([name, context]) => [name, checkedContext(name, context)]),
    ),
  };
}

function checkedContext(name: string, value: unknown): Context {
  const context = mapping(value, `Context "${name}"`);
  for (const [key, text] of Object.entries(context)) {
    if (!(CONTEXT_KEYS as readonly string[]).includes(key))
      throw new Error(`Context "${name}" has the unknown key "${key}"; the keys are ${CONTEXT_KEYS.join(', ')}.`);
    if (typeof text !== 'string') throw new Error(`"${key}" of context "${name}" must be a text.`);
  }
  if (context.url === undefined) throw new Error(`Context "${name}" has no url.`);
  return context as unknown as Context;
}

function mapping(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${what} must be a mapping.`);
  return value as Record<string, unknown>;
}

function invalid(path: string, reason: string, cause: unknown): ConnectError {
  return new ConnectError(`Cannot use the contexts file ${path}: ${reason}`, { code: 'CLI_CONTEXT_INVALID', cause });
}

/** The YAML library takes 20 ms to load, so that commands without a contexts file do not wait for it. */
function loadParser(): { readonly parseYaml: typeof parseYaml } {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('../documents/parse-yaml') as { readonly parseYaml: typeof parseYaml };
}

function loadYaml(): { readonly stringify: typeof stringify } {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('yaml') as { readonly stringify: typeof stringify };
}
