import { OutputBuffer } from '../../../src/converters/json/output-buffer';

const HEAD = Buffer.from('{"a":');

function text(out: OutputBuffer, value: string): string {
  out.start(HEAD);
  out.json(value);
  return out.finish().toString();
}

test('texts of every length, alternating, and lengths that share a kept view', () => {
  const out = new OutputBuffer();
  for (let length = 0; length < 1200; length++) {
    const value = String.fromCharCode(97 + (length % 26)).repeat(length);
    expect(text(out, value)).toBe(`{"a":${value}`);
    expect(text(out, `${value}!`)).toBe(`{"a":${value}!`);
    expect(text(out, value)).toBe(`{"a":${value}`);
  }
});

test('a text of the same length after the buffer has grown, and after it was released', () => {
  const out = new OutputBuffer();
  const large = 'x'.repeat(3 << 20);
  expect(text(out, '1')).toBe('{"a":1');
  expect(text(out, large)).toBe(`{"a":${large}`);
  expect(text(out, '2')).toBe('{"a":2');
  expect(text(out, '3')).toBe('{"a":3');
  expect(text(out, '4')).toBe('{"a":4');
});
