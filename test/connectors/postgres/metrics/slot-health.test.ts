import {
  recoveredText,
  slotHealth,
  slotTrouble,
  troubleText,
  type SlotHealth,
} from '../../../../connectors/postgres/src/metrics/slot-health';

const MB = 1024 * 1024;
const row = (slot: Record<string, string | number | boolean | null>, limit: string | null = '-1') => ({
  slot: { active: true, restart_lsn: '0/1000000', confirmed_flush_lsn: '0/1F00000', ...slot },
  wal_end: '0/2000000',
  xmin_age: 7,
  limit_mb: limit,
  clock_ms: 0,
  statistics: { spill_txns: 3, total_bytes: 9, stats_reset: null, slot_name: 's' },
});
const health = (over: Partial<SlotHealth> = {}): SlotHealth => ({ ...slotHealth(row({}, '100')), ...over });

test('slot health: parsed from the row of each server version', () => {
  expect(slotHealth(row({ wal_status: 'extended', safe_wal_size: 5 }, '64'))).toEqual({
    active: true,
    walStatus: 'extended',
    safeWalBytes: 5,
    retainedBytes: 16 * MB,
    confirmedLagBytes: MB,
    invalidation: null,
    catalogXminAge: 7,
    limitBytes: 64 * MB,
    walEnd: 0x2000000,
    statistics: new Map([
      ['spill_txns', 3],
      ['total_bytes', 9],
    ]),
  });
  // PostgreSQL 12: no status, no limit, no statistics.
  const old = slotHealth({ ...row({}), limit_mb: null, statistics: null });
  expect(old).toMatchObject({ walStatus: null, safeWalBytes: null, limitBytes: null, statistics: new Map() });
  expect(slotHealth(row({ restart_lsn: null, confirmed_flush_lsn: null }))).toMatchObject({ retainedBytes: null });
  expect(slotHealth(row({ wal_status: 'lost' })).invalidation).toBe('wal_removed');
  expect(slotHealth(row({ invalidation_reason: 'rows_removed' })).invalidation).toBe('rows_removed');
  expect(slotHealth(row({ conflicting: true })).invalidation).toBe('conflict with recovery');
});

test('slot health: by default, a warning at three quarters of max_slot_wal_keep_size', () => {
  expect(slotTrouble(health({ retainedBytes: 74 * MB }), null, null)).toBeNull();
  expect(slotTrouble(health({ retainedBytes: 75 * MB }), null, null)).toBe('retained');
  const unlimited = { limitBytes: null };
  expect(slotTrouble(health({ ...unlimited, retainedBytes: 10_239 * MB }), null, null)).toBeNull();
  expect(slotTrouble(health({ ...unlimited, retainedBytes: 10_240 * MB }), null, null)).toBe('retained');
});

test('slot health: slot.retained.wal.warn.bytes is the threshold; 0 turns the warning off', () => {
  expect(slotTrouble(health({ retainedBytes: 5 * MB }), 5 * MB, null)).toBe('retained');
  expect(slotTrouble(health({ retainedBytes: 500 * MB }), 0, null)).toBeNull();
});

test('slot health: retained WAL that fluctuates around the threshold is reported once', () => {
  expect(slotTrouble(health({ retainedBytes: 70 * MB }), null, 'retained')).toBe('retained');
  expect(slotTrouble(health({ retainedBytes: 59 * MB }), null, 'retained')).toBeNull();
});

test('slot health: unreserved, invalidated and missing slots are warnings', () => {
  expect(slotTrouble(health({ walStatus: 'unreserved' }), 0, null)).toBe('unreserved');
  expect(slotTrouble(health({ walStatus: 'lost', invalidation: 'wal_removed' }), 0, null)).toBe('invalid');
  expect(slotTrouble(null, 0, null)).toBe('missing');
});

test('slot health: the warning names the slot, the cause, the limit and the cure', () => {
  const full = health({ retainedBytes: 80 * MB, confirmedLagBytes: 12, safeWalBytes: 20 * MB });
  expect(troubleText('s', 'retained', full)).toBe(
    'Replication slot "s" retains 80.0 MB of WAL, confirmed up to 12 bytes before the end; the server drops it beyond 100.0 MB (max_slot_wal_keep_size), after 20.0 MB more. If this connector runs, look for slow or failing writes to Kafka and for a transaction that was left open; if it is not needed any more, drop the slot: SELECT pg_drop_replication_slot(\'s\');',
  );
  expect(troubleText('s', 'retained', health({ limitBytes: null }))).toContain('so its disk may fill');
  expect(troubleText('s', 'unreserved', full)).toContain('Raise max_slot_wal_keep_size now.');
  expect(troubleText('s', 'invalid', health({ invalidation: 'idle_timeout' }))).toContain(
    'Raise idle_replication_slot_timeout; then stop the connector',
  );
  expect(troubleText('s', 'invalid', health({ invalidation: 'wal_removed' }))).toContain(
    "drop the slot (SELECT pg_drop_replication_slot('s');), delete its offsets",
  );
  expect(recoveredText('s', full)).toBe('Replication slot "s" has recovered: it retains 80.0 MB of WAL at 0/2000000.');
});
