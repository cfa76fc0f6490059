import { startLsn, type StoredOffset } from '../../../../connectors/postgres/src/replication/position';
import type { CreatedSlot, SlotState } from '../../../../connectors/postgres/src/replication/slot';
import { checkResume, passedWarning } from '../../../../connectors/postgres/src/replication/resume-check';
import type { ServerWal } from '../../../../connectors/postgres/src/replication/wal-history';
import { planStart, snapshotGap, streamPosition } from '../../../../connectors/postgres/src/startup/plan';
import { parseConfig } from '../../../../connectors/postgres/src/config/postgres-config';
import { SNAPSHOT_POLICIES, type SnapshotPolicy } from '../../../../connectors/postgres/src/config/snapshot-config';

type SnapshotMode = keyof typeof SNAPSHOT_POLICIES;

const NONE: StoredOffset = { kind: 'none' };
const UNFINISHED: StoredOffset = { kind: 'snapshot', lsn: 70, timeline: null };
const FINISHED = {
  kind: 'position',
  position: {
    lsn: 100,
    processed: 100,
    commit: 90,
    xid: 1,
    index: 1,
    sameLsnDone: null,
    messageType: 'INSERT',
    messageDone: false,
    heldAt: null,
    unreadUntil: null,
    timeline: null,
  },
} as const satisfies StoredOffset;
const slot = (restartLsn: number): SlotState => ({
  plugin: 'pgoutput',
  database: 'd',
  active: false,
  activePid: null,
  restartLsn,
  confirmedFlushLsn: restartLsn,
  lostBecause: null,
});

const LOST: StoredOffset = { ...FINISHED, position: { ...FINISHED.position, lsn: 1, processed: 1, commit: 1 } };
const CONFIG = {
  'topic.prefix': 'p',
  'database.hostname': 'h',
  'database.user': 'u',
  'database.dbname': 'd',
  'plugin.name': 'pgoutput',
};

const CHECKED = { name: 's', checkPosition: true, mismatch: 'no_validation' } as const;

const plan = (mode: SnapshotMode, stored: StoredOffset, state?: SlotState | null): string =>
  planOf(SNAPSHOT_POLICIES[mode], stored, state);

const planOf = (policy: SnapshotPolicy, stored: StoredOffset, state: SlotState | null = slot(50)): string => {
  try {
    const { snapshot, stream } = planStart(policy, stored, state, CHECKED);
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

test('cdc-postgres §4.1: configuration_based combines its settings', () => {
  const configured = (settings: Record<string, string>): string => {
    const { snapshot } = parseConfig({ ...CONFIG, 'snapshot.mode': 'configuration_based', ...settings });
    return [NONE, FINISHED, UNFINISHED, LOST].map((stored) => planOf(snapshot.policy, stored)).join(', ');
  };
  const key = 'snapshot.mode.configuration.based';
  expect(configured({})).toBe(', , PG_SNAPSHOT_UNFINISHED, ');
  expect(configured({ [`${key}.start.stream`]: 'true' })).toBe(
    'stream, stream, PG_SNAPSHOT_UNFINISHED, PG_POSITION_LOST',
  );
  expect(configured({ [`${key}.snapshot.data`]: 'true' })).toBe('snapshot, snapshot, snapshot, snapshot');
  expect(configured({ [`${key}.start.stream`]: 'true', [`${key}.snapshot.on.data.error`]: 'true' })).toBe(
    'stream, stream, PG_SNAPSHOT_UNFINISHED, snapshot stream',
  );
});

test('cdc-postgres 79: the slot is missing or starts after the stored position', () => {
  for (const state of [null, slot(101)]) {
    expect(plan('initial', FINISHED, state)).toBe('PG_POSITION_LOST');
    expect(plan('no_data', FINISHED, state)).toBe('PG_POSITION_LOST');
    expect(plan('when_needed', FINISHED, state)).toBe('snapshot stream');
    expect(planStart(SNAPSHOT_POLICIES.when_needed, FINISHED, state, CHECKED).replaces).toBe(true);
    expect(planStart(SNAPSHOT_POLICIES.always, FINISHED, state, CHECKED).replaces).toBe(true);
  }
  expect(planStart(SNAPSHOT_POLICIES.always, FINISHED, slot(50), CHECKED).replaces).toBeUndefined();
  expect(planStart(SNAPSHOT_POLICIES.initial, FINISHED, null, { ...CHECKED, checkPosition: false })).toEqual({
    snapshot: false,
    stream: true,
  });
});

test('a stream resumes where the first of its snapshots began, or at its own position', () => {
  const first: CreatedSlot = { consistentPoint: 120, snapshotName: 's', release: async () => undefined };
  const at = (
    mode: SnapshotMode,
    stored: StoredOffset,
    state: SlotState | null,
    created: CreatedSlot | null = null,
  ) => {
    const position = streamPosition(planStart(SNAPSHOT_POLICIES[mode], stored, state, CHECKED), stored, state, created);
    return position === null ? 'snapshot' : startLsn(position);
  };
  expect(at('initial', NONE, null, first)).toBe(120);
  // A slot of another origin: changes in it from before the snapshot are ignored.
  expect(at('initial', NONE, slot(50))).toBe('snapshot');
  expect(at('initial', UNFINISHED, slot(50))).toBe(70);
  expect(at('initial', UNFINISHED, null, first)).toBe(120);
  expect(at('initial', FINISHED, slot(50))).toBe(90);
  expect(at('always', FINISHED, slot(50))).toBe(90);
  expect(at('always', FINISHED, slot(101))).toBe(101);
  expect(at('when_needed', FINISHED, slot(101))).toBe(101);
  expect(at('no_data', NONE, slot(50))).toBe(50);
});

test('without its slot at the old position, a snapshot cannot recover deletes, and the log says so', () => {
  expect(snapshotGap(UNFINISHED, slot(70))).toBeNull();
  expect(snapshotGap(UNFINISHED, slot(71))).toMatch(/started at 0\/46, but its replication slot is at 0\/47 now/);
  expect(snapshotGap(UNFINISHED, null)).toMatch(
    /its replication slot is gone: rows that it read and that were deleted since/,
  );
  expect(snapshotGap(NONE, null)).toBeNull();
});

describe('cdc-postgres 79: a slot that was confirmed beyond the stored position', () => {
  test('the message explains the changes in between and how to resume', () => {
    expect(() => planStart(SNAPSHOT_POLICIES.initial, FINISHED, slot(0x12345678), CHECKED)).toThrow(
      /confirmed up to 0\/12345678, .*all changes are in the topics.*otherwise the changes in between are lost.*offset\.mismatch\.strategy=trust_greater_lsn/,
    );
    expect(() => planStart(SNAPSHOT_POLICIES.initial, FINISHED, null, CHECKED)).toThrow(
      '(replication slot "s" does not exist; changes made since are lost',
    );
  });

  test('trust_greater_lsn resumes at the slot, in every mode, but does not replace a missing slot', () => {
    const trusting = { ...CHECKED, mismatch: 'trust_greater_lsn' } as const;
    for (const mode of ['initial', 'no_data', 'when_needed'] as const) {
      const found = planStart(SNAPSHOT_POLICIES[mode], FINISHED, slot(200), trusting);
      expect(found).toEqual({ snapshot: false, stream: true, fromSlot: true });
      expect(streamPosition(found, FINISHED, slot(200), null)).toMatchObject({ lsn: 200 });
    }
    expect(
      streamPosition(planStart(SNAPSHOT_POLICIES.initial, FINISHED, slot(50), trusting), FINISHED, slot(50), null),
    ).toBe(FINISHED.kind === 'position' ? FINISHED.position : null);
    expect(() => planStart(SNAPSHOT_POLICIES.initial, FINISHED, null, trusting)).toThrow('does not exist');
  });

  test('trust_offset: an error even while the server has the WAL in between', () => {
    const trusting = { ...CHECKED, checkPosition: false, mismatch: 'trust_offset' } as const;
    const passed = { ...slot(50), confirmedFlushLsn: 300 };
    expect(() => planStart(SNAPSHOT_POLICIES.initial, FINISHED, passed, trusting)).toThrow(/confirmed up to 0\/12C/);
    expect(planStart(SNAPSHOT_POLICIES.initial, FINISHED, slot(50), trusting)).toEqual({
      snapshot: false,
      stream: true,
    });
  });

  test('trust_slot resumes at the slot, wherever it is', () => {
    const trusting = { ...CHECKED, mismatch: 'trust_slot' } as const;
    for (const at of [50, 300]) {
      const found = planStart(SNAPSHOT_POLICIES.initial, FINISHED, slot(at), trusting);
      expect(found).toEqual({ snapshot: false, stream: true, fromSlot: true });
      expect(streamPosition(found, FINISHED, slot(at), null)).toMatchObject({ lsn: at });
    }
    expect(() => planStart(SNAPSHOT_POLICIES.initial, FINISHED, null, trusting)).toThrow('does not exist');
  });

  test('the log warns when the server skips the changes although it still has the WAL', () => {
    expect(passedWarning(FINISHED.position, { ...slot(50), confirmedFlushLsn: 300 }, 's')).toMatch(
      /^The stored position is 0\/5A\./,
    );
    expect(passedWarning(FINISHED.position, slot(50), 's')).toBeNull();
    expect(passedWarning(FINISHED.position, null, 's')).toBeNull();
  });
});

describe('cdc-postgres 79: the WAL of the server does not contain the stored position', () => {
  const wal: ServerWal = {
    systemId: '7',
    timeline: 3,
    recoveredTo: null,
    end: 100,
    inRecovery: false,
    ancestors: [{ timeline: 2, at: 99 }],
  };
  const at = (timeline: number, systemId = '7', recoveredTo: number | null = null) => ({
    ...FINISHED,
    position: { ...FINISHED.position, timeline: { systemId, timeline, recoveredTo } },
  });
  const checked = (stored: StoredOffset, server: ServerWal, mode: SnapshotMode = 'initial'): string => {
    try {
      const found = planStart(SNAPSHOT_POLICIES[mode], stored, slot(50), CHECKED, server);
      return `${found.snapshot ? 'snapshot' : 'stream'}${found.diverged === undefined ? '' : ' diverged'}`;
    } catch (error) {
      return `${(error as { code: string }).code} ${/position \S+: (.*?)[.(,]/.exec((error as Error).message)?.[1]}`;
    }
  };

  test.each<[string, StoredOffset, Partial<ServerWal>, string]>([
    ['unknown timeline, within the WAL', FINISHED, {}, 'stream'],
    ['unknown timeline, beyond the WAL', FINISHED, { end: 99 }, 'PG_WAL_DIVERGED it ends at 0/63 '],
    ['beyond the WAL that a standby has received', FINISHED, { end: 99, inRecovery: true }, 'stream'],
    ['the same timeline', at(3), {}, 'stream'],
    ['a promotion after the position', at(2), { ancestors: [{ timeline: 2, at: 100 }] }, 'stream'],
    ['a promotion before the position', at(2), {}, 'PG_WAL_DIVERGED it left timeline 2 at 0/63 '],
    ['the history cannot be read', at(2), { ancestors: null }, 'stream'],
    [
      'a timeline that is no ancestor',
      at(1),
      {},
      'PG_WAL_DIVERGED its timeline 3 does not descend from timeline 1 of the position ',
    ],
    [
      'the old primary',
      at(4),
      { ancestors: null },
      'PG_WAL_DIVERGED its timeline 3 does not descend from timeline 4 of the position ',
    ],
    ['a crash after the position', at(3), { recoveredTo: 100, end: 500 }, 'stream'],
    ['the recovery with which the server started that sent it', at(3, '7', 80), { recoveredTo: 80 }, 'stream'],
    [
      'a restored copy whose WAL has passed the position',
      at(3),
      { recoveredTo: 99, end: 500 },
      'PG_WAL_DIVERGED it started with the WAL up to 0/63 ',
    ],
    [
      'a restored copy of a server that had recovered',
      at(3, '7', 60),
      { recoveredTo: 80, end: 500 },
      'PG_WAL_DIVERGED it started with the WAL up to 0/50 ',
    ],
    ['another cluster', at(3, '8'), {}, 'PG_WAL_DIVERGED it is another cluster '],
  ])('%s', (_, stored, server, expected) => {
    expect(checked(stored, { ...wal, ...server })).toBe(expected);
  });

  test('when_needed and always take a snapshot and stream from the slot, so does an interrupted snapshot', () => {
    const server = { ...wal, end: 60 };
    expect(checked(FINISHED, server, 'when_needed')).toBe('snapshot diverged');
    expect(checked(FINISHED, server, 'always')).toBe('snapshot diverged');
    expect(checked(UNFINISHED, server)).toBe('snapshot diverged');
    const found = planStart(SNAPSHOT_POLICIES.initial, UNFINISHED, slot(50), CHECKED, server);
    expect(streamPosition(found, UNFINISHED, slot(50), null)).toMatchObject({ lsn: 50 });
    expect(snapshotGap(UNFINISHED, slot(50), found.diverged)).toMatch('does not contain the stored position 0/46');
  });

  test('trust_slot streams from the slot; trust_greater_lsn only if that is beyond the position', () => {
    const from = (mismatch: 'trust_slot' | 'trust_greater_lsn' | 'trust_offset', slotAt: number): unknown => {
      const { problem, fromSlot } = checkResume(at(1).position, slot(slotAt), wal, { ...CHECKED, mismatch });
      return problem?.code ?? fromSlot;
    };
    expect([from('trust_slot', 90), from('trust_slot', 50)]).toEqual([true, true]);
    expect([from('trust_greater_lsn', 90), from('trust_greater_lsn', 101)]).toEqual(['PG_WAL_DIVERGED', true]);
    expect(from('trust_offset', 50)).toBe('PG_WAL_DIVERGED');
  });
});

test('cdc-postgres 79: before a reconnect, a slot that others advanced is an error, and one that lags is not', () => {
  const again = (mismatch: 'no_validation' | 'trust_slot', slotAt: number): unknown => {
    const state = { ...slot(50), confirmedFlushLsn: slotAt };
    const { problem, fromSlot } = checkResume(FINISHED.position, state, null, { ...CHECKED, mismatch }, true);
    return problem?.code ?? fromSlot;
  };
  expect([again('no_validation', 300), again('no_validation', 60)]).toEqual(['PG_POSITION_LOST', false]);
  expect([again('trust_slot', 300), again('trust_slot', 60)]).toEqual([true, false]);
});
