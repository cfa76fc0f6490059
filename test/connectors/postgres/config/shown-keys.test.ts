/**
 * Compares the settings as REST shows them with those of Debezium 3.7.0.Final (facts only; texts and labels are ours).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shownKeys } from '../../../../connectors/postgres/src/config/shown-keys';
import { describeKey } from '../../../../src/config/validation/entry';

interface Facts {
  readonly name: string;
  readonly type: string;
  readonly default_value: string | null;
  readonly recommended_values: readonly string[];
}
const golden = JSON.parse(
  readFileSync(join(__dirname, '..', '..', '..', 'golden', 'postgres', 'config-keys.json'), 'utf8'),
) as readonly Facts[];

/** Where a default differs, or fewer values are supported, clients must see Millrace's. */
const OURS: Readonly<Record<string, Partial<Facts>>> = {
  'plugin.name': {
    default_value: 'pgoutput',
    recommended_values: [
      'decoderbufs',
      'pgoutput',
      'wal2json',
      'wal2json_rds',
      'wal2json_streaming',
      'wal2json_rds_streaming',
    ],
  },
  // It may be the text of the key.
  'database.sslkey': { type: 'PASSWORD' },
  'lsn.flush.mode': { default_value: 'connector', recommended_values: ['connector', 'manual'] },
  'snapshot.fetch.size': { default_value: '10240' },
  'event.converting.failure.handling.mode': { default_value: 'fail' },
  'max.queue.size.in.bytes': { default_value: '67108864' },
  'time.precision.mode': {
    recommended_values: [
      'adaptive',
      'adaptive_time_microseconds',
      'isostring',
      'microseconds',
      'nanoseconds',
      'connect',
    ],
  },
};
const shown = shownKeys();
const facts = shown.map((key) => {
  const { documentation: _, display_name: __, required, ...rest } = describeKey(key);
  expect(required).toBe(false);
  return { ...rest, recommended_values: key.recommended ?? [], visible: key.visible ?? true };
});

test('cdc-postgres 1.3 to 1.6: all of Debezium’s keys, in its order, with its metadata', () => {
  expect(facts.slice(0, golden.length)).toEqual(golden.map((key) => ({ ...key, ...OURS[key.name] })));
});

test('Millrace’s keys and other spellings follow; keys are unique; all are documented', () => {
  const names = shown.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(shown.slice(golden.length).map(({ group }) => group))).toEqual(
    new Set(['MILLRACE', 'Other spellings']),
  );
  expect(names).toEqual(expect.arrayContaining(['event.format', 'table.whitelist', 'database.server.name', 'sslmode']));
  for (const { documentation } of shown) expect(documentation).not.toBe('');
});

test('the documentation names rejected settings and settings without effect', () => {
  const said = (name: string): string | undefined => shown.find((key) => key.name === name)?.documentation;
  expect(said('sourceinfo.struct.maker')).toContain('is rejected');
  expect(said('column.mask.with.(d+).chars')).toContain('asterisks');
  expect(said('signal.emit.failure.max.retries')).toContain('without effect');
  expect(said('flush.lsn.source')).toBe('Alias of lsn.flush.mode.');
});
