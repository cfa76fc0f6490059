/** Filter and ContentBasedRouter: expressions in CEL instead of scripts. */
import type { ConnectorConfig, ConnectRecord, TransformationPlugin } from '@millrace/sdk';
import { contentBasedRouter, filter } from '../../../connectors/transforms-debezium/src/scripting';
import { LONGEST_TEXT } from '../../../connectors/transforms-debezium/src/scripting/cel-values';
import { create, read, remove, tombstone, update } from '../../golden/transforms/cases/change-events';
import { DECIMAL, struct, TIMESTAMP, value } from '../../golden/transforms/cases/inputs';
import { readRecord, type Json, type RecordNotation, type SchemaNotation } from '../../golden/transforms/notation';

const CEL = { language: 'cel' };
const applied = (
  plugin: TransformationPlugin,
  config: ConnectorConfig,
  record: RecordNotation,
): ConnectRecord | null => {
  const transformation = plugin.create();
  transformation.configure(config);
  return transformation.apply(readRecord(record));
};
const keeps = (condition: string, record: RecordNotation, more: ConnectorConfig = {}): boolean =>
  applied(filter, { ...CEL, condition, ...more }, record) !== null;
const topicOf = (expression: string, record: RecordNotation, more: ConnectorConfig = {}): string | undefined =>
  applied(contentBasedRouter, { ...CEL, 'topic.expression': expression, ...more }, record)?.topic;
const problems = (plugin: TransformationPlugin, config: ConnectorConfig): (string | null)[] =>
  plugin.config.map(({ name, default: fallback, validator }) => {
    return validator?.(config[name] ?? (fallback as string | null), config) ?? null;
  });

describe('cdc-postgres 7.13: conditions on change events', () => {
  test.each([
    ["value.op == 'c'", create, true],
    ["value.op == 'c'", remove, false],
    ["value.op == 'c' && value.after.id == 1 && value.source.table == 'tx1'", create, true],
    ['value.after.id == 2 || value.after.n > 5', create, true],
    ['value.after.v == null', read, true],
    ["value.op == 'd' || value.after.id == 2", remove, true],
    ['key.id == 1', create, true],
    ["topic.startsWith('shop.') && topic.endsWith('tx1')", create, true],
    ["topic.matches('shop\\\\..*')", create, true],
    ["valueSchema.name == 'shop.public.tx1.Envelope' && keySchema.type == 'STRUCT'", create, true],
    ["value.op in ['c', 'r']", read, true],
    ['value.ts_ns == 9007199254740993', create, true],
    ['value.ts_ns == 9007199254740992', create, false],
    ['has(value.transaction.id)', create, true],
    ['has(value.nothing)', create, false],
    ['has(value.after.id) && has(value.after) && !has(value.after.x)', create, true],
    ["value['after']['id'] == value.after.id && value.after['id'] == 1", create, true],
    ['value.before == null && value.after != null', create, true],
    ['value.before.id == 1', remove, true],
    [
      "header.trace.value == 'b'",
      {
        ...create,
        headers: [
          ['trace', 'STRING', 'a'],
          ['trace', 'STRING', 'b'],
        ],
      },
      true,
    ],
    ["'trace' in header", create, false],
  ] as const)('%s', (condition, record, kept) => {
    expect(keeps(condition, record as RecordNotation)).toBe(kept);
  });

  const of = (schema: SchemaNotation, json: Json): RecordNotation => value(struct([['x', schema]]), { x: json });
  test.each([
    ['value.x == 12.34', of(DECIMAL, '12.34'), true],
    ['value.x > 1700000000000', of(TIMESTAMP, 1_700_000_000_123), true],
    ["value.x == b'abc'", of('BYTES', 'YWJj'), true],
    ['value.x + 1 == 6', of('INT8', 5), true],
    ['value.x + 0.5 == 1.5', of('FLOAT64', 1), true],
    ['value.x[1] == 3', of({ type: 'ARRAY', values: 'INT32' }, [2, 3]), true],
    ["value.x['a'] == 1", of({ type: 'MAP', keys: 'STRING', values: 'INT32' }, [['a', 1]]), true],
    ['size(value) == 1', of('BOOLEAN', true), true],
    ['value.x', of('BOOLEAN', true), true],
    ['value.x == 5', value(null, { x: 5 }), true],
  ] as const)('types: %s', (condition, record, kept) => expect(keeps(condition, record)).toBe(kept));

  test.each([
    ['value.constructor == 5', value(null, { x: 5 })],
    ['value.x', of('STRING', 'true')],
    ['value.y', of('STRING', 'true')],
    ['value.x.y', of('STRING?', null)],
    ["value.x == 'a'", of('STRING', 'a'.repeat(LONGEST_TEXT + 1))],
  ] as const)('an error of the record: %s', (condition, record) => {
    expect(() => keeps(condition, record)).toThrow(
      `Error while evaluating expression '${condition}' for a record of topic`,
    );
  });

  test('records without a value are kept, dropped or evaluated', () => {
    const kept = (mode: string): boolean => keeps('key.id == 2', tombstone, { 'null.handling.mode': mode });
    expect(['keep', 'drop', 'EVALUATE'].map(kept)).toEqual([true, false, false]);
    expect(keeps('value == null', tombstone, { 'null.handling.mode': 'evaluate' })).toBe(true);
  });

  test('only the records of some topics are evaluated', () => {
    const more = { 'topic.regex': 'other' };
    expect(keeps('false', create, more)).toBe(true);
    expect(topicOf("'x'", create, more)).toBe('shop.public.tx1');
    expect(keeps('false', create, { 'topic.regex': '.*tx1' })).toBe(false);
  });
});

describe('cdc-postgres 7.13: topics by expression', () => {
  test.each([
    ["value.op == 'u' ? 'updates' : null", update, 'updates'],
    ["value.op == 'u' ? 'updates' : null", create, 'shop.public.tx1'],
    ["topic + '.' + value.op", create, 'shop.public.tx1.c'],
    ["value.after.id == 1 ? 'one' : 'many'", read, 'many'],
  ] as const)('%s', (expression, record, topic) => expect(topicOf(expression, record)).toBe(topic));

  test.each(["''", '5', "'not a topic'", "'..'", 'true'])(
    'a result that is not a topic is an error: %s',
    (expression) => {
      expect(() => topicOf(expression, create)).toThrow('its result is not a String that names a topic');
    },
  );

  test('a result that is too long for a topic is an error', () => {
    expect(() => topicOf(`'${'x'.repeat(250)}'`, create)).toThrow('its result is not a String that names a topic');
  });
});

describe('cdc-postgres 7.13: expressions are checked before a connector starts', () => {
  test('a valid config has no problems', () => {
    expect(problems(filter, { ...CEL, condition: 'true' })).toEqual([null, null, null, null]);
  });

  test.each([
    ["value.op == 'u' && value.before.id == 2", 'can stay as it is'],
    ["value.op === 'u'", "The expression in CEL: value.op == 'u',"],
    ["value.after?.name.equals('a')", "The expression in CEL: value.after.name == ('a'),"],
    ["value.get('op') == 'c'", "The expression in CEL: value['op'] == 'c',"],
    ["valueSchema.name() == 'x'", "The expression in CEL: valueSchema.name == 'x',"],
    ["return value.op == 'c';", "The expression in CEL: value.op == 'c',"],
    ['if (value.op == "c") { true }', "e.g. as value.op == 'u' && value.after.id == 2,"],
  ])('a script is refused, with the same in CEL: %s', (condition, hint) => {
    for (const language of ['jsr223.groovy', 'jsr223.graal.js', 'wasm.chicory']) {
      const [, problem] = problems(filter, { language, condition });
      expect(problem).toContain(hint);
      expect(() => keeps(condition, create, { language })).toThrow('set language=cel');
    }
  });

  test.each([
    ['a syntax error', 'value.op ==', 'Failed to parse expression'],
    ['a loop', 'value.list.exists(x, x > 1)', 'because they are loops'],
    ['a loop that makes a list', '[1, 2].map(x, x * 2) == []', 'because they are loops'],
    ['a pattern of the record', 'topic.matches(value.pattern)', 'between quotes'],
    ['a long pattern', `topic.matches('${'a'.repeat(1001)}')`, 'at most 1000 characters'],
    ['a pattern that is not RE2', "topic.matches('(?=a)')", 'the pattern (?=a) is not valid in RE2 syntax'],
    ['a heavy pattern', "topic.matches('(?:.{100}.{100}){100}')", 'repeats its parts too often'],
    ['deep nesting', '('.repeat(2000) + '1' + ')'.repeat(2000), 'nested too deep'],
    ['a long expression', 'true || '.repeat(1000) + 'true', 'more than 4096'],
  ])('refused: %s', (_what, condition, reason) => {
    const [, , problem] = problems(filter, { ...CEL, condition });
    expect(problem).toContain(reason);
    expect(() => keeps(condition, create)).toThrow(reason);
  });

  test('missing and wrong settings', () => {
    expect(problems(contentBasedRouter, { 'topic.regex': '(', 'null.handling.mode': 'x' })).toEqual([
      expect.stringContaining('A valid regular expressions is expected'),
      'A value is required',
      'A value is required',
      'Value must be one of drop, keep, evaluate',
    ]);
  });
});
