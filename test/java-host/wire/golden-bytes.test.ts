/** The bytes that the Java side is tested against, too: GoldenBytesTest.java. */
import { readJsonSync } from 'fs-extra';
import { join } from 'node:path';
import { ByteReader } from '../../../packages/java-host/src/wire/byte-reader';
import { ByteWriter } from '../../../packages/java-host/src/wire/byte-writer';
import { FrameWriter, readFrame } from '../../../packages/java-host/src/wire/frame';
import type { HostValue } from '../../../packages/java-host/src/wire/host-value';
import { StringCache } from '../../../packages/java-host/src/wire/string-cache';
import { readValue, writeValue } from '../../../packages/java-host/src/wire/values';

/** A tagged value of the file, or JSON's null, boolean or string. */
type Notation = null | boolean | string | Readonly<Record<string, unknown>>;

interface GoldenFrame {
  readonly name: 'call' | 'event' | 'result' | 'error';
  readonly type: number;
  readonly number: number;
  readonly method?: string;
  readonly arguments?: Notation;
  readonly value?: Notation;
  readonly hex: string;
}

const golden = readJsonSync(join(__dirname, '..', 'golden', 'wire.json')) as {
  readonly values: readonly { readonly name: string; readonly value: Notation; readonly hex: string }[];
  readonly frames: readonly GoldenFrame[];
};

function valueOf(notation: Notation): HostValue {
  if (notation === null || typeof notation !== 'object') return notation;
  const [tag, content] = Object.entries(notation)[0] as [string, never];
  switch (tag) {
    case 'integer':
      return Number.isSafeInteger(Number(content)) ? Number(content) : BigInt(content);
    case 'double':
      return Number(content);
    case 'bytes':
      return Buffer.from(content, 'hex');
    case 'list':
      return (content as Notation[]).map(valueOf);
    case 'map': {
      const map = Object.create(null) as Record<string, HostValue>;
      for (const [key, value] of content as [string, Notation][]) map[key] = valueOf(value);
      return map;
    }
    case 'entries':
      return new Map((content as [Notation, Notation][]).map(([key, value]) => [valueOf(key), valueOf(value)]));
    case 'decimal':
      return { unscaled: BigInt(content[0]), scale: content[1] };
    case 'date':
      return new Date(content);
    default:
      throw new Error(`unknown notation ${tag}`);
  }
}

function written(value: HostValue): string {
  const writer = new ByteWriter();
  writeValue(writer, value);
  return writer.take().toString('hex');
}

test.each(golden.values)('the value "$name" has the same bytes in both languages', ({ value, hex }) => {
  expect(written(valueOf(value))).toBe(hex);
  const reader = new ByteReader(Buffer.from(hex, 'hex'), new StringCache());
  const read = readValue(reader);
  reader.end();
  expect(read).toEqual(valueOf(value));
  expect(written(read)).toBe(hex);
});

test.each(golden.frames)('the frame "$name" has the same bytes in both languages', (frame) => {
  const writer = new FrameWriter();
  const { number, method = '', hex } = frame;
  const args = valueOf(frame.arguments ?? null) as readonly HostValue[];
  const value = valueOf(frame.value ?? null);
  const bytes = {
    call: () => writer.call(number, method, args),
    event: () => writer.event(method, args),
    result: () => writer.result(number, value),
    error: () => writer.error(number, value),
  }[frame.name]();
  expect(bytes.toString('hex')).toBe(hex);
  const read = readFrame(Buffer.from(hex, 'hex').subarray(4), new StringCache());
  expect(read).toEqual({ type: frame.name, number, ...('value' in frame ? { value } : { method, args }) });
});
