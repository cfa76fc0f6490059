/** Reads connector documents: `{"name": …, "config": {…}}` in JSON or YAML, or a properties file with `name`. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConnectError } from '@millrace/sdk';
import { parse } from 'yaml';
import { parseProperties } from '../../config/properties';

export interface ConnectorDocument {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

const LARGEST_FILE = 1024 * 1024;

/** @throws ConnectError `CLI_USAGE` for a file that is no connector document */
export function readDocument(file: string, cwd: string): ConnectorDocument {
  const path = resolve(cwd, file);
  try {
    if (statSync(path).size > LARGEST_FILE) throw new Error(`it is larger than ${LARGEST_FILE} bytes`);
    const text = readFileSync(path, 'utf8');
    return documentOf(/\.properties$/i.test(path) ? parseProperties(text) : parse(text, { maxAliasCount: 0 }));
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    throw new ConnectError(`Cannot read a connector document from ${path}: ${reason}`, {
      code: 'CLI_USAGE',
      cause: error,
    });
  }
}

function documentOf(value: unknown): ConnectorDocument {
  if (!isRecord(value)) throw new Error('it is not a mapping.');
  const config = isRecord(value.config) ? value.config : value;
  const name = value.name ?? config.name;
  if (typeof config['connector.class'] !== 'string') throw new Error('it has no connector.class.');
  if (typeof name !== 'string') throw new Error('it has no name.');
  const texts = Object.entries(config).filter(([, one]) => ['string', 'number', 'boolean'].includes(typeof one));
  return { name, config: Object.fromEntries(texts.map(([key, one]) => [key, String(one)])) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
