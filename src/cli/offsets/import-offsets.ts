/** `millrace offsets import NAME FILE`: sets the offsets of a file. */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ConnectError } from '@millrace/sdk';
import type { CliIo } from '../io';
import type { Invocation } from '../program/command-spec';
import { changeOffsets } from './change-offsets';

const LARGEST_FILE = 64 * 1024 * 1024;

export async function run(invocation: Invocation): Promise<number> {
  const [name, file] = invocation.args as readonly [string, string];
  const { text, count } = await readOffsets(file, invocation.io);
  const change = `Set ${count} offset${count === 1 ? '' : 's'} of ${name}`;
  return await changeOffsets(invocation, { name, change, request: { method: 'PATCH', text } });
}

/** The text is sent as it is, so that numbers keep all their digits. @throws ConnectError `OFFSETS_FILE` */
async function readOffsets(file: string, io: CliIo): Promise<{ readonly text: string; readonly count: number }> {
  const name = file === '-' ? 'standard input' : resolve(io.cwd, file);
  try {
    const text = file === '-' ? await readStream(io.stdin) : await readText(name);
    const { offsets } = (JSON.parse(text) ?? {}) as { offsets?: unknown };
    if (!Array.isArray(offsets) || offsets.length === 0) throw new Error('it has no list "offsets" with entries');
    return { text, count: offsets.length };
  } catch (cause) {
    throw new ConnectError(
      `Cannot use the offsets in ${name}: ${(cause as Error).message}. "millrace offsets export" writes such a file.`,
      { code: 'OFFSETS_FILE', cause },
    );
  }
}

async function readText(file: string): Promise<string> {
  if ((await stat(file)).size > LARGEST_FILE) throw new Error(`it is larger than ${LARGEST_FILE} bytes`);
  return await readFile(file, 'utf8');
}

async function readStream(stream: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(part);
    if ((size += bytes.length) > LARGEST_FILE) throw new Error(`it is larger than ${LARGEST_FILE} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString();
}
