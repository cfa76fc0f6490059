/** What is remembered of a registry's answers, and for how long. */
import { ConfigError, DataError, RetriableError } from '@millrace/sdk';
import { parseAnswer } from '../../../../connectors/converters-schema-registry/src/registry/answer';
import { Memo } from '../../../../connectors/converters-schema-registry/src/registry/memo';
import { quoted } from '../../../../connectors/converters-schema-registry/src/registry/quoted';

let loads: string[];
let clock: jest.SpyInstance<number>;
let now: number;
beforeEach(() => {
  loads = [];
  now = 1_000;
  clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => clock.mockRestore());

const get = (memo: Memo<string>, key: string, failure?: Error) =>
  memo.get(key, () => {
    loads.push(key);
    return failure === undefined ? Promise.resolve(`value of ${key}`) : Promise.reject(failure);
  });

test('those used last are kept longest', async () => {
  const memo = new Memo<string>({ failureTtlMs: 0, mostWeight: 2 });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(memo, key);
  expect(loads).toEqual(['a', 'b', 'c', 'b']);
});

test('large answers take the place of several; one that is larger than all is kept alone', async () => {
  const memo = new Memo<string>({ failureTtlMs: 0, mostWeight: 25, weigh: ({ length }) => length });
  await get(memo, 'a');
  await get(memo, 'b');
  await get(memo, 'much larger than the others');
  await get(memo, 'much larger than the others');
  await get(memo, 'b');
  expect(loads).toEqual(['a', 'b', 'much larger than the others', 'b']);
});

test('answers count for their time', async () => {
  const memo = new Memo<string>({ ttlMs: 100, failureTtlMs: 0, mostWeight: 10 });
  await get(memo, 'a');
  now += 99;
  await get(memo, 'a');
  now += 1;
  await get(memo, 'a');
  expect(loads).toEqual(['a', 'a']);
});

test('refusals count for their time, other errors not at all', async () => {
  const memo = new Memo<string>({ failureTtlMs: 100, mostWeight: 10 });
  const failures = [new DataError('data'), new RetriableError('away'), new ConfigError('denied')];
  for (let i = 0; i < 2; i++)
    for (const failure of failures) await expect(get(memo, failure.message, failure)).rejects.toBe(failure);
  expect(loads).toEqual(['data', 'away', 'denied', 'away', 'denied']);
  now += 100;
  await expect(get(memo, 'data')).resolves.toBe('value of data');
});

test('refusals of ever new keys do not fill the memory', async () => {
  const memo = new Memo<string>({ failureTtlMs: 100, mostWeight: 10 });
  const failure = new DataError('unknown');
  for (let id = 0; id <= 1_000; id++) await get(memo, String(id), failure).catch(() => undefined);
  loads = [];
  await get(memo, '1', failure).catch(() => undefined);
  await get(memo, '0', failure).catch(() => undefined);
  expect(loads).toEqual(['0']);
});

test('calls at once share a request, and its failure', async () => {
  const memo = new Memo<string>({ failureTtlMs: 0, mostWeight: 10 });
  const results = await Promise.allSettled([1, 2, 3].map(() => get(memo, 'a', new RetriableError('away'))));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await get(memo, 'a');
  expect(loads).toEqual(['a', 'a']);
});

test.each<[string, string, object | null]>([
  ['an object', ' {"a":{"b":[1,{}]}} ', { a: { b: [1, {}] } }],
  ['brackets in texts', `{"a":"${'[{,'.repeat(200_000)}\\"${'['.repeat(100)}"}`, expect.anything() as object],
  ['an escaped backslash at the end of a text', '{"a":"\\\\","b":[]}', { a: '\\', b: [] }],
  ['an array', '[]', null],
  ['a text', '"a"', null],
  ['null', 'null', null],
  ['a text without an end', '{"a":"', null],
  ['33 levels', `{"a":${'['.repeat(32)}${']'.repeat(32)}}`, null],
  ['32 levels', `{"a":${'['.repeat(31)}${']'.repeat(31)}}`, expect.anything() as object],
  ['100,001 parts', `{"a":[${'1,'.repeat(100_000)}1]}`, null],
])('an answer that is %s', (_, text, expected) => {
  expect(parseAnswer(text)).toEqual(expected);
});

test('names that every object has are data', () => {
  const answer = parseAnswer('{"__proto__":{"schema":"x"},"constructor":1}');
  expect(answer?.['schema']).toBeUndefined();
  expect(Object.keys(answer ?? {})).toEqual(['__proto__', 'constructor']);
});

test('texts of servers are quoted on one line, within bounds', () => {
  expect(quoted('a\r\nb\u001b[31m\u202ec\u2028\ud800')).toBe('a\\u000d\\u000ab\\u001b[31m\\u202ec\\u2028\\ud800');
  expect(quoted('é 漢 😀')).toBe('é 漢 😀');
  expect(quoted('x'.repeat(12), 10)).toBe('xxxxxxxxxx… (2 more characters)');
});
