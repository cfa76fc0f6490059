/** Random schemas and values between both implementations of the data codec, in both directions. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { SchemaAndValue } from '@millrace/sdk';
import { builtJavaHost } from '../../../dev/services/java-host';
import { findJava } from '../../../dev/services/kafka-jars';
import { DataReader } from '../../../packages/java-host/src/data/data-reader';
import { DataWriter } from '../../../packages/java-host/src/data/data-writer';
import { ByteReader } from '../../../packages/java-host/src/wire/byte-reader';
import { ByteWriter } from '../../../packages/java-host/src/wire/byte-writer';
import { randomData } from './random-data';

const COUNT = 2_000;

async function startEcho(...args: readonly string[]) {
  const [java, jars] = await Promise.all([findJava('The Java host'), builtJavaHost()]);
  const classPath = ['api', 'kafka'].map((folder) => join(jars, folder, '*')).join(delimiter);
  return spawn(java, ['-cp', classPath, join(__dirname, 'DataEcho.java'), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** The pieces of data of a stream, each preceded by its length. */
async function* pieces(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    left = Buffer.concat([left, chunk]);
    while (left.length >= 4 && left.length >= 4 + left.readInt32BE(0)) {
      const end = 4 + left.readInt32BE(0);
      yield left.subarray(4, end);
      left = left.subarray(end);
    }
  }
}

function framed(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

test('what JavaScript sends comes back from Java as it was', async () => {
  const echo = await startEcho('echo');
  const errors = text(echo.stderr);
  const [writer, reader, out] = [new DataWriter(), new DataReader(), new ByteWriter()];
  const sent = [...randomData(1, COUNT)];
  for (const { schema: of, value } of sent) {
    writer.write(out, of, value);
    echo.stdin.write(framed(out.take()));
  }
  echo.stdin.end();
  const back: SchemaAndValue[] = [];
  for await (const bytes of pieces(echo.stdout)) back.push(reader.read(new ByteReader(bytes)));
  expect(await errors).toBe('');
  expect(back).toEqual(sent);
}, 120_000);

test('what Java sends comes back from JavaScript as it was', async () => {
  const echo = await startEcho('random', '7', String(COUNT));
  const ended = once(echo, 'close');
  const errors = text(echo.stderr);
  const [writer, reader, out] = [new DataWriter(), new DataReader(), new ByteWriter()];
  let count = 0;
  for await (const bytes of pieces(echo.stdout)) {
    const data = reader.read(new ByteReader(bytes));
    writer.write(out, data.schema, data.value);
    echo.stdin.write(framed(out.take()));
    count++;
  }
  expect(await errors).toBe('');
  expect([count, (await ended)[0]]).toEqual([COUNT, 0]);
}, 120_000);
