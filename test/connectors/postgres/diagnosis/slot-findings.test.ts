/** What cannot be planted cheaply on a server; test/integration/postgres/diagnosis-cures.test.ts plants the rest. */
import type { Finding } from '@millrace/sdk';
import { parseConfig } from '../../../../connectors/postgres/src/config/postgres-config';
import type { Facts, SlotFacts } from '../../../../connectors/postgres/src/diagnosis/facts';
import { slotFindings } from '../../../../connectors/postgres/src/diagnosis/slot-findings';
import { slotHealth } from '../../../../connectors/postgres/src/metrics/slot-health';

const config = parseConfig({
  'database.hostname': 'db',
  'database.user': 'u',
  'database.password': 'p',
  'database.dbname': 'd',
  'topic.prefix': 't',
  'slot.name': 's',
  'plugin.name': 'pgoutput',
});
interface Slot {
  readonly active?: boolean;
  readonly plugin?: string;
  readonly lostBecause?: string;
}
function findings({ active = true, plugin = 'pgoutput', lostBecause }: Slot, version = 180_000): Finding[] {
  const row = {
    slot: { active, restart_lsn: '0/0', confirmed_flush_lsn: '0/0', wal_status: 'extended' },
    wal_end: '3/0',
    xmin_age: 1,
    limit_mb: '-1',
    clock_ms: 0,
    statistics: null,
  };
  const slot = { plugin, database: 'd', active, activePid: active ? 7 : null, lostBecause: lostBecause ?? null };
  const holder = active ? { pid: 7, application: 'Millrace Streaming', address: '10.0.0.1' } : null;
  const facts: Partial<SlotFacts> = {
    config,
    slot: slot as never,
    stored: { kind: 'none' },
    health: slotHealth(row),
    holder,
    pluginProblem: null,
  };
  return slotFindings({
    ...{ connector: 'my orders', slots: [facts], inactive: [], used: null },
    server: { version },
  } as unknown as Facts);
}

test.each([
  [true, ['PG_SLOT_AT_RISK'], 'look for slow or failing writes to Kafka'],
  [false, ['PG_SLOT_AT_RISK', 'PG_SLOT_INACTIVE'], 'start the connector'],
])('much WAL without a limit, the slot active: %p: no setting is the cure', (active, expected, advice) => {
  const found = findings({ active });
  expect(found.map(({ code }) => code)).toEqual(expected);
  expect(found[0]?.cure).toContain(advice);
  expect(found[0]?.statements).toEqual([expect.stringMatching(/^SELECT .* FROM pg_stat_activity/)]);
});

test.each([
  ['wal_removed', /^Raise max_slot_wal_keep_size; stop/],
  ['idle_timeout', /^Raise idle_replication_slot_timeout; stop/],
  ['wal_level_insufficient', /^Set wal_level to logical on the primary; stop/],
  ['rows_removed', /^Set hot_standby_feedback to on on the standby; stop/],
  ['a reason of a later version', /^Stop/],
])('a slot lost for %s names what prevents the next loss', (lostBecause, text) => {
  const [finding] = findings({ active: false, lostBecause });
  expect(finding?.code).toBe('PG_SLOT_LOST');
  expect(finding?.cure).toMatch(text);
  expect(finding?.statements).toEqual([
    'millrace stop "my orders"',
    "SELECT pg_drop_replication_slot('s');",
    'millrace offsets reset "my orders" --resume',
  ]);
});

test('the reader of a slot is named, and ended before the slot is dropped; only newer servers wait for its end', () => {
  const [finding] = findings({ plugin: 'test_decoding' });
  expect(finding?.cure).toContain('because process 7 (Millrace Streaming, 10.0.0.1) reads this slot');
  expect(finding?.statements).toEqual([
    'SELECT pg_terminate_backend(7, 10000);',
    "SELECT pg_drop_replication_slot('s');",
  ]);
  expect(findings({ plugin: 'test_decoding' }, 130_000)[0]?.statements?.[0]).toBe('SELECT pg_terminate_backend(7);');
});
