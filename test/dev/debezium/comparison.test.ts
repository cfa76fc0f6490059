/** The comparison with Debezium detects what differs, and explains only what the compatibility page documents. */
import { Comparison } from '../../../dev/debezium/comparison';
import type { DefinitionChange } from '../../../dev/debezium/definition-changes';
import type { EventRecord } from '../../../dev/debezium/event-record';
import {
  EXPLANATIONS,
  KEYLESS_TOMBSTONE,
  SILENT_CHANGE,
  UNREAD_DEFINITION,
  UNSEEN_CHANGE,
} from '../../../dev/debezium/explained-differences';
import { exactJson } from '../../../dev/debezium/record-differences';
import { Workload } from '../../../dev/debezium/workload';
import { page } from '../../helpers/compatibility-page';
import { seeded } from '../../helpers/seeded';

const SCHEMA = '{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}],"optional":false}';

function record(lsn: number, after: Record<string, unknown> = { id: 1 }, more: Partial<EventRecord> = {}): EventRecord {
  const value = { before: null, after, source: { lsn }, op: 'c', ts_ms: 5 };
  return {
    topic: 'p.public.t',
    partition: null,
    timestamp: null,
    key: [SCHEMA, '{"id":1}'],
    value: [SCHEMA, JSON.stringify(value)],
    headers: [],
    sourcePartition: { server: 'p' },
    sourceOffset: { lsn },
    ...more,
  };
}

function compared(java: readonly EventRecord[], own: readonly EventRecord[]): Comparison {
  const comparison = new Comparison();
  comparison.add(java, own);
  return comparison;
}

const paths = (comparison: Comparison): unknown =>
  comparison.unexplained.map(({ event, differences }) => [event, ...differences.map(({ path }) => path)]);

test('equal records are pairs without differences', () => {
  const comparison = compared([record(1), record(2)], [record(1), record(2)]);
  expect([comparison.pairs, paths(comparison)]).toEqual([2, []]);
});

test.each<[string, EventRecord, string]>([
  ['a value', record(1, { id: 2 }), 'value.after.id'],
  ['a member that is missing', record(1, {}), 'value.after.id'],
  ['the key', record(1, undefined, { key: [SCHEMA, '{"id":2}'] }), 'key.id'],
  ['no key', record(1, undefined, { key: [null, null] }), 'key.schema'],
  ['a key schema', record(1, undefined, { key: [SCHEMA.replace('int32', 'int64'), '{"id":1}'] }), 'key.schema.id.type'],
  ['a header', record(1, undefined, { headers: [['h', null, null]] }), 'headers'],
  ['an offset', record(1, undefined, { sourceOffset: { lsn: 2 } }), 'offset.lsn'],
  ['a partition', record(1, undefined, { partition: 0 }), 'partition'],
  ['a source partition', record(1, undefined, { sourcePartition: { server: 'q' } }), 'sourcePartition.server'],
])('%s is a difference', (_name, own, path) => {
  const { unexplained } = compared([record(1)], [own]);
  expect(unexplained.map(({ differences }) => differences[0]?.path)).toEqual([expect.stringContaining(path)]);
});

test('digits beyond a double, and digits after the point, are compared', () => {
  expect(exactJson('{"a":9007199254740993,"b":0.12345678901234567891,"c":"12345678901234567890","d":1.5}')).toEqual({
    a: 'number 9007199254740993',
    b: 'number 0.12345678901234567891',
    c: '12345678901234567890',
    d: 1.5,
  });
});

test('lost, invented and swapped records are differences; the others are still pairs', () => {
  const [a, b, c] = [record(1), record(2), record(3)] as const;
  expect(paths(compared([a, b, c], [a, c]))).toEqual([['only in Debezium: c p.public.t 2']]);
  expect(paths(compared([a, c], [a, b, c]))).toEqual([['only in Millrace: c p.public.t 2']]);
  const swapped = compared([a, b, c], [b, a, c]);
  expect([swapped.pairs, swapped.unexplainedCount]).toEqual([2, 2]);
});

test('the same code may differ only by what two runs have of their own', () => {
  const differences = (java: EventRecord, own: EventRecord, isSameCode: boolean): unknown => {
    const comparison = new Comparison('pgoutput', undefined, isSameCode);
    comparison.add([java], [own]);
    return comparison.unexplained.flatMap(({ event, differences }) =>
      differences.length === 0 ? event : differences.map(({ path }) => path),
    );
  };
  const event = (value: object): EventRecord => record(1, undefined, { value: [SCHEMA, JSON.stringify(value)] });
  const [early, late] = [1, 2].map((ts) => event({ op: 'c', source: { lsn: 1 }, ts_ms: ts, ts_us: ts, ts_ns: ts }));
  expect(differences(early as EventRecord, late as EventRecord, true)).toEqual([]);
  const [read, again] = [1, 2].map((lsn) => event({ op: 'r', source: { lsn, ts_ms: lsn } }));
  expect(differences(read as EventRecord, again as EventRecord, true)).toEqual([]);
  const [first, second] = [1, 2].map((ts_ms) => event({ op: 'c', source: { lsn: 1, ts_ms } }));
  expect(differences(first as EventRecord, second as EventRecord, true)).toEqual(['value.source.ts_ms']);
  // Millrace's own connector explains this one.
  const [nested, none] = [[null, null], null].map((value) => record(1, { a_int4_array: value }));
  expect(differences(nested as EventRecord, none as EventRecord, false)).toEqual([]);
  expect(differences(nested as EventRecord, none as EventRecord, true)).toEqual(['value.after.a_int4_array']);
  const tombstone = record(1, undefined, { key: [null, null], value: [null, null] });
  expect(differences(tombstone, record(1), false)).toEqual(['only in Millrace: c p.public.t 1']);
  expect(differences(tombstone, record(1), true)).toEqual([
    'only in Debezium: tombstone p.public.t ',
    'only in Millrace: c p.public.t 1',
  ]);
});

test('two runs of the same code may read another definition for rows of the transaction that changes it', () => {
  const event = (optional: boolean, b_int4 = 1): EventRecord => {
    const fields = [{ field: 'b_int4', type: 'int32', optional }];
    const schema = { type: 'struct', fields: [{ field: 'after', type: 'struct', optional: true, fields }] };
    return { ...row({ b_int4 }), value: [JSON.stringify(schema), row({ b_int4 }).value[1]] };
  };
  const paths = (txId: number, own: EventRecord): unknown => {
    const comparison = new Comparison('pgoutput', undefined, true);
    comparison.definitionChanges.add({ ...CHANGE, columns: ['b_int4'] }, txId);
    comparison.add([event(true)], [own]);
    return comparison.unexplained.flatMap(({ differences }) => differences.map(({ path }) => path));
  };
  expect(paths(7, event(false))).toEqual([]);
  expect(paths(8, event(false))).toEqual(['value.schema.after.b_int4.optional']);
  expect(paths(7, event(true, 2))).toEqual(['value.after.b_int4']);
});

test('decoderbufs: the identity of a Java object is another one in each run', () => {
  const unexplained = (own: string): number => {
    const comparison = new Comparison('decoderbufs', undefined, true);
    comparison.add([row({ a_name: '[B@50697ec9' })], [row({ a_name: own })]);
    return comparison.unexplainedCount;
  };
  expect([unexplained('[B@7ec947ad'), unexplained('name')]).toEqual([0, 1]);
});

test('a report contains both sides of a difference', () => {
  const report = compared([record(1, { id: 7 })], [record(1, { id: 8 })]).report();
  expect(report).toContain('1 pairs, 1 with unexplained differences');
  expect(report).toContain('value.after.id: Debezium 7, Millrace 8');
  expect(report).toMatch(/ Debezium: .*"id":7/);
  expect(report).toMatch(/ Millrace: .*"id":8/);
});

test('every explanation is on the compatibility page', () => {
  const all = [
    ...EXPLANATIONS.map(({ why }) => why),
    KEYLESS_TOMBSTONE,
    SILENT_CHANGE,
    UNREAD_DEFINITION,
    UNSEEN_CHANGE,
  ];
  expect(all.filter((why) => !page.includes(`| ${why} |`))).toEqual([]);
});

/** A row of a table in a transaction. */
function row(after: Record<string, unknown>, op = 'c', table = 't', txId = 7): EventRecord {
  const value = { before: null, after, source: { lsn: 1, txId, schema: 'public', table }, op };
  return record(1, undefined, { topic: `compared.public.${table}`, value: [SCHEMA, JSON.stringify(value)] });
}

const CHANGE: DefinitionChange = { schema: 'public', table: 't', columns: [], key: false, isSilent: false };

test.each<[string, EventRecord, EventRecord, readonly string[]]>([
  ['the column that it changed', row({ b_int4: 1 }), row({ b_int4: 2 }), []],
  ['another column', row({ c_int4: 1 }), row({ c_int4: 2 }), ['value.after.c_int4']],
  ['another table', row({ b_int4: 1 }, 'c', 'u'), row({ b_int4: 2 }, 'c', 'u'), ['value.after.b_int4']],
  ['another transaction', row({ b_int4: 1 }, 'c', 't', 8), row({ b_int4: 2 }, 'c', 't', 8), ['value.after.b_int4']],
])(
  'a changed definition explains differences of that column in its transaction only: %s',
  (_name, java, own, found) => {
    const comparison = new Comparison();
    comparison.definitionChanges.add({ ...CHANGE, columns: ['b_int4'] }, 7);
    comparison.add([java], [own]);
    expect(comparison.unexplained.flatMap(({ differences }) => differences.map(({ path }) => path))).toEqual(found);
  },
);

test('decoderbufs: deletes may lack a new column until a row was inserted', () => {
  const lacking = row({ id: 1 }, 'd');
  const own = row({ id: 1, b_int4: null }, 'd');
  const unexplained = (plugin: string, ...before: EventRecord[]): number => {
    const comparison = new Comparison(plugin);
    comparison.definitionChanges.add({ ...CHANGE, columns: ['b_int4'] }, null);
    comparison.add([...before, lacking], [...before, own]);
    return comparison.unexplainedCount;
  };
  expect([unexplained('decoderbufs'), unexplained('decoderbufs', row({ id: 2 })), unexplained('pgoutput')]).toEqual([
    0, 1, 1,
  ]);
});

test('decoderbufs: a key that is changed alone may be known on one side only', () => {
  const keyless = { ...row({ id: 1 }), key: [null, null] } as const;
  const unexplained = (plugin: string, change: DefinitionChange | null): number => {
    const comparison = new Comparison(plugin);
    if (change !== null) comparison.definitionChanges.add(change, null);
    comparison.add([row({ id: 2 }), row({ id: 1 }), row({ id: 3 }, 'd')], [row({ id: 2 }), keyless]);
    return comparison.unexplainedCount;
  };
  const key: DefinitionChange = { ...CHANGE, key: true, isSilent: true };
  expect(unexplained('decoderbufs', key)).toBe(0);
  expect([unexplained('pgoutput', key), unexplained('decoderbufs', null)]).toEqual([2, 2]);
  expect(unexplained('decoderbufs', { ...CHANGE, table: 'u', key: true, isSilent: true })).toBe(2);
});

test('decoderbufs: a default that is changed alone may be known on one side only', () => {
  const withDefault = (value?: number): EventRecord => {
    const fields = ['a', 'b'].map((field) => ({ field, type: 'int32', optional: true, default: value }));
    const after = { field: 'after', type: 'struct', optional: true, fields };
    const [, json] = row({ a: 1, b: 1 }).value;
    return { ...row({}), value: [JSON.stringify({ type: 'struct', optional: false, fields: [after] }), json] };
  };
  const comparison = new Comparison('decoderbufs');
  comparison.definitionChanges.add({ ...CHANGE, columns: ['b'], isSilent: true }, null);
  comparison.add([withDefault()], [withDefault(7)]);
  expect(comparison.unexplained.flatMap(({ differences }) => differences.map(({ path }) => path))).toEqual([
    'value.schema.after.a.default',
  ]);
});

test('skip.messages.without.change: only Millrace sees that midnight at the end of a day is another time', () => {
  const update = (before: string, after: string): EventRecord => {
    const value = { before: { a_time3: before }, after: { a_time3: after }, source: { lsn: 1 }, op: 'u' };
    return record(1, undefined, { value: [SCHEMA, JSON.stringify(value)] });
  };
  expect(compared([], [update('24:00:00Z', '00:00:00Z')]).unexplainedCount).toBe(0);
  expect(compared([], [update('24:00:00Z', '00:00:01Z')]).unexplainedCount).toBe(1);
});

test('decoderbufs: only digits may be lost in arrays of times', () => {
  /** Whole numbers beyond 2^53 are texts in comparisons. */
  type Item = number | `number ${string}`;
  const unexplained = (java: readonly Item[], own: readonly Item[], name = 'a_time3_array'): number => {
    const comparison = new Comparison('decoderbufs');
    comparison.add([row({ [name]: java })], [row({ [name]: own })]);
    return comparison.unexplainedCount;
  };
  const timestamps = (java: Item, own: Item): number => unexplained([java], [own], 'a_timestamp3_array');
  expect(timestamps('number -9223372036854775616', 'number 9223372036854776')).toBe(0);
  expect(timestamps('number 8640000000000001000', 'number 8640000000000001')).toBe(0);
  expect(timestamps('number -63517953600000000', -63_517_780_800_000)).toBe(0);
  expect(timestamps('number 9223372036854775807', 'number 9223372036825200000')).toBe(0);
  expect(timestamps('number 9223372036854775807', 'number 9224318016000000')).toBe(0);
  expect(timestamps('number 9223372036854775807', 1_590_000_000_000)).toBe(1);
  expect(timestamps(1_590_000_000_001_000, 1_590_000_000_000)).toBe(1);
  expect([unexplained([5000, 0], [5, 86_400_000]), unexplained([5001], [5]), unexplained([5000], [])]).toEqual([
    0, 1, 1,
  ]);
});

test('old rows may be null where a column is optional in one schema only', () => {
  const unexplained = (isOptional: boolean, before: number | null): number => {
    const event = (optional: boolean, i: number | null): EventRecord => {
      const fields = [
        { field: 'before', type: 'struct', optional: true, fields: [{ field: 'i', type: 'int32', optional }] },
      ];
      const value = { before: { i }, after: null, source: { lsn: 1, txId: 7, schema: 'public', table: 't' }, op: 'u' };
      return record(1, undefined, {
        topic: 'compared.public.t',
        value: [JSON.stringify({ type: 'struct', optional: false, fields }), JSON.stringify(value)],
      });
    };
    return compared([event(false, 0)], [event(isOptional, before)]).unexplainedCount;
  };
  expect([unexplained(true, null), unexplained(true, 0), unexplained(true, 1), unexplained(false, null)]).toEqual([
    0, 0, 1, 1,
  ]);
});

test('a seed gives the same statements every time', () => {
  const statements = (seed: number): string[] => {
    const workload = new Workload(seeded(seed), false);
    return [...workload.create(), ...workload.fill(2), ...Array.from({ length: 50 }, () => workload.change())];
  };
  expect(statements(5)).toEqual(statements(5));
  expect(statements(5)).not.toEqual(statements(6));
});
