/**
 * Texts of records and configs must neither block a thread nor fill a log. Limits are of CPU time: far above linear
 * cost, far below quadratic cost.
 */
import { boundedText, TEXT_LIMIT } from '../../packages/texts/src/bounded-text';
import { printableFields, printableLine } from '../../src/logging/printable-line';
import { redact, redactText } from '../../packages/texts/src/redact';
import { cpuMs } from '../helpers/cpu-time';

const MIB = 1024 * 1024;
const SECOND = 1_000;

test.each([
  ['a.'],
  ['a://'],
  ['://a:'],
  ['a:'],
  ['password'],
  ['password '],
  ['password="'],
  ['password="\\"'],
  ["password='"],
  ['password=\\"'],
  ['\\'],
  ['${'],
  ['password=${a'],
  ['api_'],
  ['.key'],
  [' '],
  ['\n   at '],
])('a MiB of %j is scanned in linear time', (unit) => {
  const text = unit.repeat(MIB / unit.length);
  const openings = ['', 'password', 'password=', 'password="', 'password=${', '://'];
  // With quadratic time, even one of them would take minutes.
  expect(cpuMs(() => openings.map((opening) => redactText(opening + text, 2 * MIB)))).toBeLessThan(10 * SECOND);
  const error = new Error(text);
  expect(cpuMs(() => printableLine(text, { text, error, [text]: text }))).toBeLessThan(2 * SECOND);
});

test('a long text is truncated, with the number of characters left out', () => {
  expect(redactText('x'.repeat(TEXT_LIMIT + 80_123))).toBe(`${'x'.repeat(TEXT_LIMIT)}… (80,123 more characters)`);
  // The truncation mark would take as much.
  expect(redactText('x'.repeat(TEXT_LIMIT + 10))).toHaveLength(TEXT_LIMIT + 10);
  expect(boundedText(`${'x'.repeat(9)}😀${'y'.repeat(99)}`, 10)).toBe('xxxxxxxxx… (101 more characters)');
});

describe('a truncated text shows no part of a secret that the whole text would hide', () => {
  const SECRET = 'S3CRET-S3CRET';
  test.each([
    [`password=${SECRET} `],
    [`password: "${SECRET} ${SECRET}" `],
    [`password='${SECRET} ${SECRET}' `],
    [`password="\\"${SECRET}\\\\${SECRET}" `],
    [`{\\"password\\":\\"${SECRET} ${SECRET}\\"} `],
    [`sasl.jaas.config=… required username="u" password="${SECRET} ${SECRET}"; `],
    [`postgres://user:${SECRET}@host/database `],
    [`SharedAccessKey = ${SECRET};X=1 `],
  ])('%s', (text) => {
    const long = text + '.'.repeat(200);
    expect(redactText(long)).not.toMatch(/S3C|RET/);
    for (let limit = 1; limit <= text.length; limit++)
      expect([limit, redactText(long, limit)]).toEqual([limit, expect.not.stringMatching(/S3C|RET/)]);
  });
});

test('depth, entries, names and the total of fields are bounded', () => {
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`name${i}`, i]));
  const deep: Record<string, unknown> = {};
  let at = deep;
  for (let i = 0; i < 100_000; i++) at = at.down = {};
  const line = printableLine('m', {
    list: Array.from({ length: 1_000_000 }, () => 'x'),
    map: new Map(Object.entries(wide)),
    wide,
    deep,
    texts: Array.from({ length: 50 }, () => 'y'.repeat(100_000)),
    ['n'.repeat(1000)]: 1,
  });
  expect(JSON.stringify(line.fields).length).toBeLessThan(12_000);
  const { list, map, wide: shown } = line.fields as { list: unknown[]; map: object; wide: object };
  expect([list.length, list.at(-1)]).toEqual([101, '… (999,900 more)']);
  for (const members of [map, shown]) expect(members).toMatchObject({ name99: 99, '…': '… (400 more)' });
  expect(Object.keys(redact({ ['n'.repeat(1000)]: 1 }) as object)).toEqual([
    `${'n'.repeat(128)}… (872 more characters)`,
  ]);
});

test('a stack keeps its frames, however long its message is; many stacks take no more space than one', () => {
  const error = new Error(`${'long '.repeat(20_000)}\n    at forged`);
  const [stack] = printableLine('m', { error }).stacks as [string];
  expect(stack.length).toBeLessThan(12_000);
  expect(stack).toMatch(/^Error: long .*more characters\)\n {4}at /s);
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`e${i}`, new Error('x')]));
  expect(printableLine('m', many).stacks.join('').length).toBeLessThan(12_000);
});

test('a value that cannot be formatted does not break a line', () => {
  const value = {
    get thrown(): string {
      throw new Error('no');
    },
    date: new Date(NaN),
    fine: 1,
  };
  expect(redact({ value })).toEqual({
    value: { thrown: '[cannot be shown]', date: '[cannot be shown]', fine: 1 },
  });
});

test('a line that was formatted elsewhere is used unchanged', () => {
  const line = printableLine('password=x', { token: 'x', error: new Error('e') });
  expect(printableLine(line.message, { ...printableFields(structuredClone(line)) })).toEqual({
    message: 'password=[hidden]',
    fields: expect.objectContaining({ token: '[hidden]', error: { message: 'e' } }),
    stacks: [expect.stringContaining('Error: e')],
  });
});
