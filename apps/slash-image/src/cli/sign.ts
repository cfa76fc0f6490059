#!/usr/bin/env node
/**
 * Prints the headers that sign a body, one per line, for `curl -H @file`. The secret is CHAT_SIGNING_SECRET.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { sign, SIGNATURE_HEADER, TIMESTAMP_HEADER } from '../function/signature';

const USAGE =
  'usage: CHAT_SIGNING_SECRET=… npm run -s sign --workspace apps/slash-image -- [--timestamp SECONDS] [--body TEXT | FILE]';

/** npm changes to the workspace's folder and passes the original one in INIT_CWD. */
const from = (file: string): string => resolve(process.env['INIT_CWD'] ?? '.', file);

function run(): string {
  const { values, positionals } = parseArgs({
    options: {
      body: { type: 'string' },
      timestamp: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  });
  if (values.help) return `${USAGE}\n`;
  const [file, ...rest] = positionals;
  if (rest.length > 0 || (file !== undefined) === (values.body !== undefined)) throw new Error(USAGE);
  const secret = process.env['CHAT_SIGNING_SECRET']?.trim().split(/\s+/)[0];
  if (!secret) throw new Error('CHAT_SIGNING_SECRET is not set');
  const timestamp = values.timestamp ?? String(Math.floor(Date.now() / 1000));
  if (!/^\d{1,12}$/.test(timestamp)) throw new Error('--timestamp must be Unix seconds');
  const body = file === undefined ? Buffer.from(values.body ?? '') : readFileSync(from(file));
  return `${TIMESTAMP_HEADER}: ${timestamp}\n${SIGNATURE_HEADER}: ${sign(secret, timestamp, body)}\n`;
}

try {
  process.stdout.write(run());
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
