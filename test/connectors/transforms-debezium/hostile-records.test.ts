/** No record makes an expression run long, or take much memory: cdc-postgres 7.13. */
import { inspect } from 'node:util';
import type { ConnectRecord } from '@millrace/sdk';
import { filter } from '../../../connectors/transforms-debezium/src/scripting';
import { MOST_MATCHED } from '../../../connectors/transforms-debezium/src/scripting/bounded-functions';
import { LONGEST_TEXT } from '../../../connectors/transforms-debezium/src/scripting/cel-values';
import { patternWeight } from '../../../connectors/transforms-debezium/src/scripting/pattern-weight';
import { struct, value } from '../../golden/transforms/cases/inputs';
import { readRecord, type RecordNotation, type SchemaNotation } from '../../golden/transforms/notation';

const appliedTo = (condition: string, record: ConnectRecord): boolean => {
  const transformation = filter.create();
  transformation.configure({ language: 'cel', condition });
  return transformation.apply(record) !== null;
};
const keeps = (condition: string, record: RecordNotation): boolean => appliedTo(condition, readRecord(record));
const text = (x: string): RecordNotation => value(struct([['x', 'STRING']]), { x });
/** Without a schema, as from JSON. */
const plain = (of: unknown): ConnectRecord => ({ ...readRecord(value(null, {})), value: of }) as ConnectRecord;

test('a pattern that would backtrack for minutes in JavaScript matches in linear time', () => {
  const record = value(struct([['x', 'STRING']]), { x: `${'a'.repeat(100_000)}!` });
  expect(keeps("value.x.matches('^(a+)+$')", record)).toBe(false);
});

test('an expression cannot make a text that does not fit into memory', () => {
  const record = value(struct([['x', 'STRING']]), { x: 'a'.repeat(LONGEST_TEXT / 2) });
  const condition = `size(${Array(300).fill('value.x').join(' + ')}) > 0`;
  expect(() => keeps(condition, record)).toThrow('it reads more than 1048576 characters or bytes of the record');
});

test('a value that is a text counts each time', () => {
  const record = value('STRING', 'a'.repeat(LONGEST_TEXT / 2));
  expect(keeps('size(value) > 0', record)).toBe(true);
  expect(() => keeps('size(value + value + value) > 0', record)).toThrow('it reads more than 1048576');
});

test('a long list counts each time', () => {
  const record = value({ type: 'ARRAY', values: 'INT32' }, Array(50_000).fill(1));
  expect(keeps('size(value) == 50000', record)).toBe(true);
  expect(() => keeps('size(value + value) > 0', record)).toThrow('it reads more than 1048576');
});

test('contains does not search for a long text in a long one, which takes minutes', () => {
  const long = 'a'.repeat(400_000);
  const searched = `${'a'.repeat(9_000)}b${'a'.repeat(9_000)}`;
  const texts: SchemaNotation = struct([
    ['x', 'STRING'],
    ['y', 'STRING'],
  ]);
  const record = value(texts, { x: long, y: searched });
  expect(keeps("value.x.contains('aab')", record)).toBe(false);
  expect(() => keeps('value.x.contains(value.y)', record)).toThrow('which takes too long');
});

test.each([
  ['int(value.x) == 1', 'a text is not an integer'],
  ['uint(value.x) == uint(1)', 'a text is not an integer'],
  ['bool(value.x)', 'a text is neither true nor false'],
  ["timestamp('2020-01-01T00:00:00Z').getHours(value.x) == 1", 'a text is not a time zone'],
  ['{value.x: 1, value.x: 2} == null', 'two keys of a map are equal'],
  ['[1][size(value.x)] == 1', 'a list has no element with the index'],
  ['value[value.x] == 1', 'field not found'],
  ['value.nothing == 1', 'field not found: nothing'],
  ['value.x + 1 == 2', "found no matching overload for '_+_' applied to '(string, int)'"],
])('an error of %s has no values of the record', (condition, reason) => {
  const expected = `Error while evaluating expression '${condition}' for a record of topic orders: ${reason}`;
  const thrown = (): Error | null => {
    try {
      keeps(condition, text('not-for-the-log'));
      return null;
    } catch (error) {
      return error as Error;
    }
  };
  expect(thrown()?.message).toBe(expected);
  expect(inspect(thrown(), { depth: 9 })).not.toContain('not-for-the-log');
});

describe('matches', () => {
  const condition = "value.x.matches('(a|b)*a(a|b){100}$')";
  const weight = patternWeight('(a|b)*a(a|b){100}$');

  test('a heavy pattern does not search a long text', () => {
    const longest = Math.floor(MOST_MATCHED / weight);
    expect(keeps(condition, text('b'.repeat(1_000)))).toBe(false);
    expect(() => keeps(condition, text('ab'.repeat(longest)))).toThrow('which takes too long');
  });

  test('all calls of an evaluation share one limit, and the next record has its own', () => {
    const transformation = filter.create();
    transformation.configure({ language: 'cel', condition: Array(40).fill(condition).join(' || ') });
    const long = readRecord(text('b'.repeat(Math.floor(MOST_MATCHED / weight / 20))));
    const short = readRecord(text('b'.repeat(10)));
    expect(() => transformation.apply(long)).toThrow('which takes too long');
    expect(transformation.apply(short)).toBeNull();
    expect(() => transformation.apply(long)).toThrow('which takes too long');
  });
});

describe('structures', () => {
  const nested = (wrap: (inner: unknown) => unknown, depth: number): unknown => {
    let of: unknown = null;
    for (let i = 0; i < depth; i++) of = wrap(of);
    return of;
  };
  test.each([
    ['lists', (inner: unknown) => [inner]],
    ['structs', (inner: unknown) => ({ a: inner })],
    ['maps', (inner: unknown) => new Map([['a', inner]])],
  ])('deeply nested %s are an error of the record', (_what, wrap) => {
    const record = plain({ x: nested(wrap, 100_000), y: nested(wrap, 100_000) });
    expect(() => appliedTo('value.x == value.y', record)).toThrow('Error while evaluating expression');
  });

  test('a value that contains one object many times counts each time', () => {
    const [x, y] = [0, 1].map(() => nested((inner) => ({ a: inner, b: inner }), 40));
    expect(() => appliedTo('value.x == value.y', plain({ x, y }))).toThrow('it reads more than 1048576');
  });

  test('members of the record’s objects in memory are not variables', () => {
    for (const name of ['record', 'limit', 'constructor', 'toString', '__proto__']) {
      expect(() => appliedTo(`${name} == 5`, plain({ a: 1 }))).toThrow('Error while evaluating expression');
    }
  });
});

test.each([
  ['', 0],
  ['abc', 3],
  ['[abc]', 1],
  ['[]a]b', 2],
  ['[^]a]b', 2],
  ['[[:alpha:](]{9}', 10],
  ['[(\\]{10}]a', 2],
  ['\\d{4}-\\d{2}', 5 + 1 + 3],
  ['(ab){3}', 16],
  ['(ab){3,10}', 40],
  ['((a{10}){10}){9}', ((11 + 2) * 11 + 2) * 10],
  ['\\Q(a{9}\\Eb', 6],
  ['\\(a{9}', 11],
  ['a{x}', 4],
  ['\\pL\\p{Greek}\\x{10FFFF}', 4],
])('the weight of %j is %d', (pattern, weight) => expect(patternWeight(pattern)).toBe(weight));
