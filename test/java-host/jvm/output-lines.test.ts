import { LastLines, LineRate, LineSplitter } from '../../../packages/java-host/src/jvm/output-lines';

function split(...chunks: (string | Buffer)[]): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return lines;
}

test('lines may come in parts, also of a character', () => {
  const bytes = Buffer.from('grüße\nsecond\n\nlast');
  expect(split(bytes.subarray(0, 3), bytes.subarray(3, 12), bytes.subarray(12))).toEqual(['grüße', 'second', 'last']);
  expect(split('a\r\nb\r\n')).toEqual(['a', 'b']);
});

test('the end of a long line is dropped, however it comes', () => {
  const lines = split(...Array.from({ length: 100 }, () => 'x'.repeat(1_000)), '\nnext\n');
  expect(lines).toEqual([`${'x'.repeat(2_000)}…`, 'next']);
});

test('the last 50 lines are kept, and of long ones fewer', () => {
  const last = new LastLines();
  for (let i = 0; i < 1_000; i++) last.add(`line ${i}`);
  expect(last.text.split('\n')).toHaveLength(50);
  expect(last.text.endsWith('line 999')).toBe(true);
  for (let i = 0; i < 100; i++) last.add('x'.repeat(2_000));
  expect(last.text.length).toBeLessThan(17_000);
});

test('a number of lines passes each second, and the next one says how many did not', () => {
  let now = 0;
  const rate = new LineRate(2, () => now);
  const admit = (): unknown => rate.admit();
  expect([admit(), admit(), admit(), admit()].map((one) => (one as { passes: boolean }).passes)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  now = 1_000;
  expect([admit(), admit()]).toEqual([
    { passes: true, dropped: 2 },
    { passes: true, dropped: 0 },
  ]);
});
