import type { SourceOffset } from '@millrace/sdk';
import {
  ResumeFilter,
  flushLsn,
  readOffset,
  startLsn,
  type Position,
} from '../../../../connectors/postgres/src/replication/position';

const position = (over: Partial<Position>): Position => ({
  lsn: 100,
  processed: 100,
  commit: 90,
  xid: 7,
  index: null,
  sameLsnDone: null,
  messageType: null,
  messageDone: false,
  heldAt: null,
  unreadUntil: null,
  timeline: null,
  ...over,
});

describe('cdc-postgres 69: stored offsets', () => {
  test('no offset, no position, unknown members', () => {
    expect(readOffset(null)).toEqual({ kind: 'none' });
    expect(readOffset({ txId: 3 })).toEqual({ kind: 'none' });
    expect(readOffset({ lsn: 5, whatever: 'x' })).toMatchObject({
      kind: 'position',
      position: { lsn: 5, commit: null },
    });
  });
  test.each([true, 'true', 'INITIAL'])('snapshot %p', (snapshot) => {
    expect(readOffset({ lsn: 5, snapshot }).kind).toBe('snapshot');
    expect(readOffset({ lsn: 5, snapshot, last_snapshot_record: true }).kind).toBe('position');
    expect(readOffset({ lsn: 5, snapshot, snapshot_completed: true }).kind).toBe('position');
  });
  test.each(['INCREMENTAL', 'BLOCKING', false, 'false'])('snapshot %p is streaming', (snapshot) => {
    expect(readOffset({ lsn: 5, snapshot, snapshot_completed: false }).kind).toBe('position');
  });
  test('positions beyond 2^53', () => {
    expect(readOffset({ lsn: 9223372036854775807n })).toMatchObject({ position: { lsn: 9223372036854775807n } });
  });
});

test('start and confirmed position: lsn_commit, else lsn_proc, else the end of the snapshot', () => {
  expect(startLsn(position({}))).toBe(90);
  expect(startLsn(position({ commit: null }))).toBe(100);
  expect(startLsn(position({ commit: null, processed: null, lsn: 80 }))).toBe(80);
  expect(flushLsn({ lsn: 100, lsn_proc: 100, lsn_commit: 90 })).toBe(90);
  expect(flushLsn({ lsn: 100, snapshot: 'INITIAL' })).toBeNull();
});

describe('changes that were emitted before the restart', () => {
  test('transactions whose commit record begins before lsn_commit', () => {
    const filter = new ResumeFilter(position({}));
    expect(filter.begin(89, 5)).toBe(true);
    expect(filter.begin(90, 6)).toBe(false);
    expect(filter.change(60, 1)).toBe('emit');
  });

  test('the first index messages of the transaction, whatever their positions', () => {
    const filter = new ResumeFilter(position({ index: 2 }));
    expect(filter.begin(200, 7)).toBe(false);
    expect([1, 2, 3, 4].map((index) => filter.change(100, index))).toEqual(['skip', 'skip', 'emit', 'emit']);
    filter.commit();
    expect(filter.begin(300, 7)).toBe(false);
    expect(filter.change(100, 1)).toBe('emit');
  });

  test('cdc-postgres 79: a transaction of another WAL with the same id: its changes beyond the position are emitted', () => {
    const filter = new ResumeFilter(position({ index: 2 }));
    expect(filter.begin(200, 7)).toBe(false);
    expect([101, 102].map((lsn, i) => filter.change(lsn, i + 1))).toEqual(['emit', 'emit']);
    const earlier = new ResumeFilter(position({ index: 2 }));
    expect([earlier.begin(95, 7), earlier.change(91, 1)]).toEqual([false, 'emit']);
  });

  test('another transaction comes first: nothing is skipped', () => {
    const filter = new ResumeFilter(position({ index: 2 }));
    expect(filter.pending).toBe(true);
    filter.begin(200, 8);
    expect(filter.change(50, 1)).toBe('emit');
    expect(filter.pending).toBe(false);
  });

  test('Debezium up to 3.6: by position inside the transaction; the one at the position is held until the next is known', () => {
    const filter = new ResumeFilter(position({}));
    filter.begin(200, 7);
    expect(filter.change(80, 1)).toBe('skip');
    expect(filter.change(100, 2)).toBe('defer');
    expect(filter.change(100, 3)).toBe('emit');
    expect(filter.change(100, 4)).toBe('emit');
  });

  test('Debezium 3.7: the number of rows at the position is stored', () => {
    const filter = new ResumeFilter(position({ sameLsnDone: 2 }));
    filter.begin(200, 7);
    expect([1, 2, 3].map((index) => filter.change(100, index))).toEqual(['skip', 'skip', 'emit']);
  });

  test.each(['BEGIN', 'COMMIT'])('an offset of a %s skips no change', (messageType) => {
    const filter = new ResumeFilter(position({ messageType }));
    filter.begin(200, 7);
    expect(filter.change(50, 1)).toBe('emit');
  });

  test('cdc-postgres 42: Debezium at a logical message, which has the position of the row after it', () => {
    for (const sameLsnDone of [1, null]) {
      const filter = new ResumeFilter(position({ messageType: 'MESSAGE', messageDone: true, sameLsnDone }));
      filter.begin(200, 7);
      expect(filter.change(90, 1)).toBe('skip');
      expect(filter.skipsMessage(100)).toBe(true);
      expect(filter.change(100, 2)).toBe('emit');
      expect(filter.skipsMessage(101)).toBe(false);
    }
    // Outside of transactions.
    const filter = new ResumeFilter(position({ messageType: 'MESSAGE', xid: null }));
    expect(filter.pending).toBe(false);
  });

  test.each([true, false])('cdc-postgres 42: a row with the LSN of a message, which was emitted: %p', (messageDone) => {
    const filter = new ResumeFilter(position({ index: 2, messageDone }));
    filter.begin(200, 7);
    expect(filter.skipsMessage(99)).toBe(true);
    expect(filter.change(100, 1)).toBe('skip');
    expect(filter.skipsMessage(100)).toBe(messageDone);
    expect(filter.change(100, 2)).toBe('skip');
    expect(filter.skipsMessage(100)).toBe(messageDone);
    expect(filter.change(100, 3)).toBe('emit');
    expect(filter.skipsMessage(100)).toBe(messageDone);
    expect(filter.skipsMessage(101)).toBe(false);
    filter.commit();
    filter.begin(300, 8);
    expect(filter.skipsMessage(99)).toBe(false);
  });

  test('cdc-postgres 42: offsets of a message, of the row after it, and of Debezium tell whether the message is done', () => {
    const at = (members: SourceOffset): unknown => readOffset({ lsn: 100, lsn_proc: 100, txId: 7, ...members });
    expect(at({ messageType: 'MESSAGE' })).toMatchObject({ position: { messageDone: true } });
    expect(at({ messageType: 'INSERT', tx_message_done: true })).toMatchObject({ position: { messageDone: true } });
    expect(at({ messageType: 'INSERT', lsn_events_processed: 2 })).toMatchObject({ position: { messageDone: false } });
  });

  test('the end of a snapshot skips nothing, not even changes from before it (§4.4)', () => {
    const filter = new ResumeFilter(position({ processed: null, commit: null }));
    filter.begin(200, 7);
    expect(filter.change(50, 1)).toBe('emit');
  });
});
