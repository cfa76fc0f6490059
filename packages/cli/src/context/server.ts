/**
 * Which REST API a command asks, and how: `--url`, `--context`, MILLRACE_URL, MILLRACE_CONTEXT, the current context and
 * http://localhost:8083, the first of these that is set. A URL other than the context's gets no credentials of it.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConnectError } from '@millrace/sdk';
import { parseProperties } from '@millrace/texts/properties';
import type { Invocation } from '../program/command-spec';
import { contextsPath, readContexts, type Context } from './contexts-file';

export interface Server {
  /** Without trailing slashes; one or more workers of the same cluster. */
  readonly urls: readonly string[];
  /** Contents of PEM files. */
  readonly ca?: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly keyPassword?: string;
  /** Value of the Authorization header. */
  readonly authorization?: string;
  /** Time for a request, ms. */
  readonly timeoutMs: number;
}

const DEFAULT_URL = 'http://localhost:8083';
const LARGEST_FILE = 1024 * 1024;
const CREDENTIAL_KEYS = ['username', 'password', 'token', 'key.password'];

interface ServerOptions {
  readonly context?: string;
  readonly url?: string;
  readonly requestTimeout?: number;
}

/** @throws ConnectError `CLI_CONTEXT_INVALID` or `CLI_USAGE` */
export function serverOf({ options, io }: Pick<Invocation, 'options' | 'io'>): Server {
  const { context: named, url, requestTimeout = 90 } = options as ServerOptions;
  const timeoutMs = requestTimeout * 1000;
  if (url !== undefined && named !== undefined) throw usage('Specify --url or --context, not both.');
  const givenUrl = url ?? (named === undefined ? io.env.MILLRACE_URL : undefined);
  if (givenUrl) return { urls: urlsOf(givenUrl), ...credentialsAt(io.env.MILLRACE_CREDENTIALS, io.cwd), timeoutMs };
  const context = chosenContext({ options, io });
  if (!context) return { urls: [DEFAULT_URL], ...credentialsAt(io.env.MILLRACE_CREDENTIALS, io.cwd), timeoutMs };
  const folder = dirname(contextsPath(io));
  const pem = (file: string | undefined): string | undefined => file && readText(resolve(folder, file));
  return {
    urls: urlsOf(context.url),
    ca: pem(context.ca),
    certificate: pem(context.certificate),
    key: pem(context.key),
    ...credentialsAt(context.credentials, folder),
    timeoutMs,
  };
}

/**
 * The context of the cluster that a command asks; undefined if there is none, or if a URL names another cluster.
 * @throws ConnectError `CLI_CONTEXT_INVALID`
 */
export function chosenContext({ options, io }: Pick<Invocation, 'options' | 'io'>): Context | undefined {
  const { context, url } = options as ServerOptions;
  if (url !== undefined || (context === undefined && io.env.MILLRACE_URL)) return undefined;
  return contextOf({ options, io });
}

/** The named or current context; undefined if there is none. @throws ConnectError `CLI_CONTEXT_INVALID` */
export function contextOf({ options, io }: Pick<Invocation, 'options' | 'io'>): Context | undefined {
  const { current, contexts } = readContexts(io);
  const name = (options as ServerOptions).context ?? io.env.MILLRACE_CONTEXT ?? current;
  if (name === undefined) return undefined;
  if (Object.hasOwn(contexts, name)) return contexts[name];
  const names = Object.keys(contexts);
  const known = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`;
  throw new ConnectError(`There is no context "${name}" in ${contextsPath(io)}: ${known}.`, {
    code: 'CLI_CONTEXT_INVALID',
  });
}

/** @throws ConnectError `CLI_USAGE` */
export function urlsOf(text: string): readonly string[] {
  return text.split(',').map((part) => {
    let url: URL;
    try {
      url = new URL(part.trim().includes('://') ? part.trim() : `http://${part.trim()}`);
    } catch {
      throw usage(`"${part.trim()}" is not a URL.`);
    }
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw usage(`"${part.trim()}" is not an http or https URL.`);
    if (url.username !== '' || url.password !== '')
      throw usage('A URL must not contain credentials: put them into the credentials file of a context.');
    return `${url.origin}${url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname}`;
  });
}

function credentialsAt(file: string | undefined, folder: string): Pick<Server, 'authorization' | 'keyPassword'> {
  if (!file) return {};
  const path = resolve(folder, file);
  const given = parseCredentials(path);
  const { username, password, token } = given;
  if (token !== undefined) return { authorization: `Bearer ${token}`, keyPassword: given['key.password'] };
  if (username === undefined) return { keyPassword: given['key.password'] };
  const basic = Buffer.from(`${username}:${password ?? ''}`).toString('base64');
  return { authorization: `Basic ${basic}`, keyPassword: given['key.password'] };
}

function parseCredentials(path: string): Record<string, string> {
  let credentials: Record<string, string>;
  try {
    credentials = parseProperties(readText(path));
  } catch (error) {
    throw invalid(`Cannot read the credentials file ${path}: ${(error as Error).message}`, error);
  }
  for (const [key, value] of Object.entries(credentials)) {
    if (!CREDENTIAL_KEYS.includes(key))
      throw invalid(`The credentials file ${path} has an unknown key; the keys are ${CREDENTIAL_KEYS.join(', ')}.`);
    // eslint-disable-next-line no-control-regex
    if (/[\x00-\x1f\x7f]/.test(value))
      throw invalid(`"${key}" in the credentials file ${path} has a control character.`);
  }
  return credentials;
}

function readText(path: string): string {
  try {
    if (statSync(path).size > LARGEST_FILE) throw new Error(`it is larger than ${LARGEST_FILE} bytes`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw invalid(`Cannot read ${path}: ${(error as Error).message}`, error);
  }
}

function usage(message: string): ConnectError {
  return new ConnectError(message, { code: 'CLI_USAGE' });
}

function invalid(message: string, cause?: unknown): ConnectError {
  return new ConnectError(message, { code: 'CLI_CONTEXT_INVALID', cause });
}
