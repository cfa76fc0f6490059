import type { Header, HeaderConverter } from '@millrace/sdk';
import { HeaderConversion } from '../../../src/tasks/source/header-conversion';

/** Writes every header to the same buffer, as a converter may. */
function counting(): { conversion: HeaderConversion; calls: () => number } {
  const buffer = Buffer.alloc(64);
  let calls = 0;
  const converter: HeaderConverter = {
    configure: () => undefined,
    fromConnectHeader: (topic, key, _schema, value) => {
      calls++;
      return buffer.subarray(0, buffer.write(`${topic}/${key}=${JSON.stringify(value)}`));
    },
    toConnectHeader: () => ({ schema: null, value: null }),
  };
  return { conversion: new HeaderConversion(converter), calls: () => calls };
}

const header = (key: string, value: unknown): Header => ({ key, schema: null, value });
const texts = (conversion: HeaderConversion, topic: string, headers: readonly Header[]) =>
  conversion.convert(topic, headers).map((h) => [h.key, Buffer.from(h.value as Uint8Array).toString()]);

test('connect-runtime 102: a frozen list of frozen headers is converted once for each topic', () => {
  const { conversion, calls } = counting();
  const shared = Object.freeze([Object.freeze(header('a', 1)), Object.freeze(header('b', 'x'))]);
  const first = conversion.convert('t', shared);
  expect(texts(conversion, 't', shared)).toEqual([
    ['a', 't/a=1'],
    ['b', 't/b="x"'],
  ]);
  expect(texts(conversion, 'u', shared)).toEqual([
    ['a', 'u/a=1'],
    ['b', 'u/b="x"'],
  ]);
  expect(conversion.convert('t', shared)).toBe(first);
  expect(Object.isFrozen(first)).toBe(true);
  expect(calls()).toBe(4);
});

test('connect-runtime 102: headers that may change are converted for every record', () => {
  const { conversion } = counting();
  const changing = header('a', 1) as { value: unknown };
  const open = [changing as Header];
  const halfFrozen = Object.freeze([changing as Header]);
  const inner = { n: 1 };
  const deep = Object.freeze([Object.freeze(header('a', inner))]);
  for (const headers of [open, halfFrozen, deep]) expect(texts(conversion, 't', headers)[0]?.[1]).toMatch(/1\}?$/);
  changing.value = 2;
  inner.n = 2;
  for (const headers of [open, halfFrozen, deep]) expect(texts(conversion, 't', headers)[0]?.[1]).toMatch(/2\}?$/);
});
