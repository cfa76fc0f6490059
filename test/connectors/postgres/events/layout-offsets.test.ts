/** `event.format=1.2` stores offsets that mean the same (cdc-postgres §6.1, §6.3). */
import type { SourceOffset } from '@millrace/sdk';
import { LAYOUT_1_2 } from '../../../../connectors/postgres/src/events/layout-1-2';
import { readOffset } from '../../../../connectors/postgres/src/replication/position';

const ROW: SourceOffset = {
  lsn: 100,
  lsn_commit: 90,
  lsn_proc: 100,
  lsn_events_processed: 1,
  txId: 7,
  tx_event_index: 2,
  ts_usec: 1,
  messageType: 'INSERT',
  wal_timeline: '7/1',
};
const running = (snapshot: string): SourceOffset => ({
  snapshot,
  last_snapshot_record: false,
  snapshot_completed: false,
});

test.each<[string, SourceOffset]>([
  ['a row of the stream', ROW],
  ['a row after a logical message', { ...ROW, tx_message_done: true }],
  ['a row while a prepared transaction is open', { ...ROW, prepared_lsn: 80, snapshot_unread_until: 200 }],
  ['the begin of a transaction', { ...ROW, tx_event_index: null, messageType: 'BEGIN' }],
  ['a commit', { ...ROW, messageType: 'COMMIT' }],
  ['a logical message', { ...ROW, messageType: 'MESSAGE' }],
  ['a row of an initial snapshot', { lsn: 100, ...running('INITIAL') }],
  [
    'the last row of an initial snapshot',
    { lsn: 100, snapshot: 'INITIAL', last_snapshot_record: true, snapshot_completed: true },
  ],
  ['a row of an incremental snapshot', { ...ROW, ...running('INCREMENTAL') }],
  ['cdc-postgres 105: a row of a blocking snapshot', { ...ROW, ...running('BLOCKING') }],
  ['a row of a blocking snapshot between transactions', { ...ROW, ...running('BLOCKING'), messageType: 'COMMIT' }],
])('%s', (_, offset) => {
  const expected = readOffset(offset);
  const stored = readOffset(LAYOUT_1_2.offset(offset));
  // These members are for Debezium; this connector resumes by `tx_event_index`.
  const shown = (one: object): string =>
    JSON.stringify(one, (key, value: unknown) => (key === 'sameLsnDone' || value === 'INSERT' ? null : value));
  expect(shown(stored)).toBe(shown(expected));
});

test('cdc-postgres 105: an offset that an earlier version stored amid a blocking snapshot is one of the stream', () => {
  expect(readOffset({ ...ROW, snapshot: true, last_snapshot_record: false }).kind).toBe('position');
});
