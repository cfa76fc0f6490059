import type { StoredOffset } from '../../../../connectors/postgres/src/replication/position';
import type { SlotState } from '../../../../connectors/postgres/src/replication/slot';
import { planStart } from '../../../../connectors/postgres/src/snapshot/plan';
import type { SnapshotMode } from '../../../../connectors/postgres/src/config/postgres-config';

const NONE: StoredOffset = { kind: 'none' };
const UNFINISHED: StoredOffset = { kind: 'snapshot' };
const FINISHED: StoredOffset = {
  kind: 'position',
  position: { lsn: 100, processed: 100, commit: 90, xid: 1, index: 1, sameLsnDone: null, messageType: 'INSERT' },
};
const slot = (restartLsn: number): SlotState => ({
  plugin: 'pgoutput',
  database: 'd',
  active: false,
  activePid: null,
  restartLsn,
  confirmedFlushLsn: restartLsn,
  lostBecause: null,
});

const plan = (mode: SnapshotMode, stored: StoredOffset, state: SlotState | null = slot(50)): string => {
  try {
    const { snapshot, stream } = planStart(mode, stored, state, 's', true);
    return [snapshot && 'snapshot', stream && 'stream'].filter(Boolean).join(' ');
  } catch (error) {
    return (error as { code: string }).code;
  }
};

// cdc-postgres §4.1: no offset, finished, unfinished.
test.each<[SnapshotMode, string, string, string]>([
  ['initial', 'snapshot stream', 'stream', 'snapshot stream'],
  ['always', 'snapshot stream', 'snapshot stream', 'snapshot stream'],
  ['initial_only', 'snapshot', '', 'snapshot'],
  ['no_data', 'stream', 'stream', 'PG_SNAPSHOT_UNFINISHED'],
  ['when_needed', 'snapshot stream', 'stream', 'snapshot stream'],
])('cdc-postgres 21-25: %s', (mode, none, finished, unfinished) => {
  expect([plan(mode, NONE), plan(mode, FINISHED), plan(mode, UNFINISHED)]).toEqual([none, finished, unfinished]);
});

test('cdc-postgres 79: slot missing or begun later than the stored position', () => {
  for (const state of [null, slot(101)]) {
    expect(plan('initial', FINISHED, state)).toBe('PG_POSITION_LOST');
    expect(plan('no_data', FINISHED, state)).toBe('PG_POSITION_LOST');
    expect(plan('when_needed', FINISHED, state)).toBe('snapshot stream');
  }
  expect(planStart('initial', FINISHED, null, 's', false)).toEqual({ snapshot: false, stream: true });
});
