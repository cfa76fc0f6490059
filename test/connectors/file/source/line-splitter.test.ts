import { LineSplitter } from '../../../../connectors/file/src/source/line-splitter';

function feed(splitter: LineSplitter, bytes: Buffer, lines: string[] = []): string[] {
  for (let at = 0; at < bytes.length;) {
    const copied = bytes.copy(splitter.room(), 0, at);
    splitter.filled(copied);
    at += copied;
    for (let line = splitter.next(); line !== null; line = splitter.next()) lines.push(line);
  }
  return lines;
}

test.each<[string, string[], number]>([
  ['one\ntwo\r\nthree\rfour\nhalf', ['one', 'two', 'three', 'four'], 20],
  ['\n\r\n\rx\n', ['', '', '', 'x'], 6],
  ['ünïcode 😀\n', ['ünïcode 😀'], 15],
  ['\ufeffmark\n', ['\ufeffmark'], 8],
  ['last\r', [], 0],
  ['', [], 0],
])('connect-runtime 10.9: lines of %j, and their length in bytes', (text, lines, position) => {
  const splitter = new LineSplitter();
  expect(feed(splitter, Buffer.from(text))).toEqual(lines);
  expect([splitter.position, splitter.readPosition]).toEqual([position, Buffer.byteLength(text)]);
});

test('connect-runtime 10.9: a carriage return waits for the next byte', () => {
  const splitter = new LineSplitter();
  expect(feed(splitter, Buffer.from('a\r'))).toEqual([]);
  expect(feed(splitter, Buffer.from('\nb\r'))).toEqual(['a']);
  expect(feed(splitter, Buffer.from('c\n'))).toEqual(['b', 'c']);
  expect(splitter.position).toBe(7);
});

test('bytes that are not UTF-8 become U+FFFD and count as bytes', () => {
  const splitter = new LineSplitter(100);
  expect(feed(splitter, Buffer.from([0x61, 0xff, 0x62, 0x0a]))).toEqual(['a\ufffdb']);
  expect(splitter.position).toBe(104);
});

test('any chunking of the bytes gives the same lines at the same positions', () => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
  for (let round = 0; round < 300; round++) {
    const parts = ['a', 'é', '😀', '\n', '\r', '\r\n', 'long '.repeat(30)];
    const text = Array.from({ length: random(60) }, () => parts[random(parts.length)]).join('');
    const bytes = Buffer.from(text);
    const ends = [...text.matchAll(/\r\n|\n|\r(?!$)/g)].map(({ index, 0: end }) => index + end.length);
    const expected = ends.map((end, i) => text.slice(ends[i - 1] ?? 0, end).replace(/[\r\n]+$/, ''));
    const splitter = new LineSplitter();
    const lines: string[] = [];
    const positions: number[] = [];
    for (let at = 0; at < bytes.length;) {
      const count = Math.min(1 + random(9), bytes.length - at);
      bytes.copy(splitter.room(), 0, at, at + count);
      splitter.filled(count);
      at += count;
      for (let line = splitter.next(); line !== null; line = splitter.next()) {
        lines.push(line);
        positions.push(splitter.position);
      }
    }
    expect(lines).toEqual(expected);
    expect(positions).toEqual(ends.map((end) => Buffer.byteLength(text.slice(0, end))));
  }
});

test('a line longer than the buffer, and one longer than the limit', () => {
  const long = 'x'.repeat(1_000_000);
  const splitter = new LineSplitter(0, 1_200_000);
  expect(feed(splitter, Buffer.from(`short\n${long}\nagain\n`))).toEqual(['short', long, 'again']);
  expect(() => feed(splitter, Buffer.alloc(1_300_000, 'y'))).toThrow(
    expect.objectContaining({
      code: 'FILE_SOURCE_LINE',
      message:
        "The line at byte 1000013 is longer than 1200000 bytes: terminate it, or move the connector's offset past it.",
    }) as Error,
  );
});

test('memory of a long line is released', () => {
  const splitter = new LineSplitter();
  feed(splitter, Buffer.from(`${'x'.repeat(3_000_000)}\n`));
  expect(splitter.room().length).toBeLessThan(300_000);
});

test('a remainder without an end of line', () => {
  const splitter = new LineSplitter();
  feed(splitter, Buffer.from('a\nrest\r'));
  expect([splitter.rest(), splitter.position, splitter.rest()]).toEqual(['rest', 7, null]);
});
