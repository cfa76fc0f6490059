/** Reads a connector document: `{"name", "config"}` or a flat config, as JSON, YAML or properties. */
import { readFileSync, statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { ConnectError } from '@millrace/sdk';
import { parse } from 'yaml';
import { parseProperties } from '../../config/properties';
import type { ConnectorDocument } from './previewed-source';

const MAX_BYTES = 1024 * 1024;

/** @throws ConnectError `PREVIEW_DOCUMENT` */
export function readDocument(file: string, cwd: string): ConnectorDocument {
  const path = resolve(cwd, file);
  try {
    if (statSync(path).size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    return parseDocument(readFileSync(path, 'utf8'), file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConnectError(
      `Cannot read a connector from ${file}: ${code === 'ENOENT' ? 'the file does not exist' : message}.`,
      { code: 'PREVIEW_DOCUMENT', cause: error },
    );
  }
}

/** Pure. The name of a flat config without one is that of the file. */
export function parseDocument(text: string, file: string): ConnectorDocument {
  const extension = extname(file).toLowerCase();
  const parsed: unknown =
    extension === '.properties'
      ? parseProperties(text)
      : extension === '.json'
        ? JSON.parse(text)
        : parse(text, { maxAliasCount: 100 });
  if (!isObject(parsed)) throw new Error('it is not an object');
  const nested = isObject(parsed.config) ? parsed.config : null;
  const config = texts(nested ?? parsed);
  const name = nested === null ? config.name : (parsed.name ?? config.name);
  if (config['connector.class'] === undefined) throw new Error('it has no connector.class');
  return { name: typeof name === 'string' && name !== '' ? name : basename(file, extname(file)), config };
}

/** As REST does with numbers and booleans. */
function texts(config: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(config).map(([key, value]): [string, string] => {
    if (typeof value === 'string') return [key, value];
    if (typeof value === 'number' || typeof value === 'boolean') return [key, String(value)];
    throw new Error(`the value of ${key} is not a text, number or boolean`);
  });
  return Object.fromEntries(entries);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
