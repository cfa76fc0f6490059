/** The pure parts of `millrace produce`. */
import { LineCutter } from '../../../src/cli/verbs/produce/sending';
import { produceOptions, progressBar } from '../../../src/cli/verbs/produce';
import { FakeIo, invocationOf } from '../fake-io';
import { ProduceReport } from '../../../src/cli/verbs/produce/report';

/** The lines of `text`, passed in chunks of `size` bytes. */
function cut(text: string, size: number): string[] {
  const cutter = new LineCutter('f');
  const bytes = Buffer.from(text);
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) lines.push(...cutter.push(bytes.subarray(at, at + size)));
  const rest = cutter.rest();
  return [...lines, ...(rest === null ? [] : [rest])].map(String);
}

test.each<[string, string[]]>([
  ['', []],
  ['a', ['a']],
  ['a\n', ['a']],
  ['a\n\nb', ['a', '', 'b']],
  ['a\r\nb\r\n', ['a', 'b']],
  ['a\rb\n\r\n', ['a\rb', '']],
  ['"quoted ""x""",2\nzwölf 😀\n', ['"quoted ""x""",2', 'zwölf 😀']],
])('the lines of %j, however the bytes are chunked', (text, expected) => {
  for (const size of [1, 2, 3, 1000]) expect(cut(text, size)).toEqual(expected);
});

test('bytes that are not UTF-8 stay unchanged', () => {
  expect(new LineCutter('f').push(Buffer.from([0xff, 0x00, 0x0a]))).toEqual([Buffer.from([0xff, 0x00])]);
});

test('an overlong line is rejected by its number, before it fills the memory', () => {
  const cutter = new LineCutter('storms.csv', 10);
  cutter.push(Buffer.from('short\n12345'));
  expect(() => cutter.push(Buffer.from('678901'))).toThrow('storms.csv:2 exceeds the maximum line length of 10 bytes.');
});

const optionsOf = (...args: string[]) => produceOptions(invocationOf(['produce', ...args], new FakeIo('/')));

test.each<[string[], string]>([
  [['--topic', 't'], "missing required argument 'file'"],
  [['f'], "required option '--topic <topic>' not specified"],
  [['f', 'g', '--topic', 't'], 'too many arguments'],
  [['f', '--topic', 'a b'], '"a b" is not a valid topic name'],
  [['f', '--topic', '..'], '".." is not a valid topic name'],
  [['f', '--topic', 't', '--port', '1'], "unknown option '--port'"],
])('wrong arguments %j', (args, reason) => {
  expect(() => optionsOf(...args)).toThrow(reason);
});

test('arguments', () => {
  expect(optionsOf('-', '--topic', 't', '--config', 'w', '--data-dir', 'd', '--quiet')).toEqual({
    file: '-',
    topic: 't',
    quiet: true,
  });
});

test('the result of each line; adjacent lines with the same failure are reported together', () => {
  const report = new ProduceReport('s.csv', 't');
  expect(report.summary()).toBe('s.csv: 0 messages to topic t\n');
  expect(report.deliver(1, 1, 7)).toBe('s.csv:1 partition 1 offset 7\n');
  report.deliver(2, 0, 5);
  report.deliver(3, 1, 9);
  expect(report.summary()).toBe(
    's.csv: 3 messages to topic t (partition 0: 1, offset 5; partition 1: 2, offsets 7 to 9)\n',
  );
  expect(report.failed).toBe(false);
  for (const line of [8, 9, 10]) report.fail(line, 'broker gone');
  report.fail(4, 'too large');
  expect(report.failureTexts()).toEqual([
    's.csv:4: not delivered: too large\n',
    's.csv:8-10: not delivered: broker gone\n',
  ]);
  expect(new ProduceReport('f', 't').deliver(1, 0, -1)).toBe('f:1 partition 0 offset unknown\n');
});

test('the progress bar: percentage of a file, counts of standard input', () => {
  const progress = { name: 's.csv', done: 50, total: 100, messages: 1 };
  expect(progressBar(progress)).toBe(`s.csv [${'#'.repeat(15)}${'.'.repeat(15)}]  50 % 1 message`);
  expect(progressBar({ ...progress, done: 0, total: 0, messages: 0 })).toContain('100 % 0 messages');
  expect(progressBar({ ...progress, total: null, messages: 12 })).toBe('s.csv 12 messages');
});
