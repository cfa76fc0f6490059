import {
  formatTimeline,
  parseHistory,
  readTimeline,
} from '../../../../connectors/postgres/src/replication/wal-history';

test('cdc-postgres §6.1: the member wal_timeline of offsets; others lack it', () => {
  for (const recoveredTo of [null, 0x16b374d848]) {
    const timeline = { systemId: '7481234567890123456', timeline: 12, recoveredTo };
    expect(readTimeline({ wal_timeline: formatTimeline(timeline) })).toEqual(timeline);
  }
  expect(readTimeline({})).toBeNull();
  for (const text of [null, 'x/1', '1/1/2', 7]) expect(readTimeline({ wal_timeline: text })).toBeNull();
});

test('a timeline history file', () => {
  const text = '1\t0/3000060\tno recovery target specified\n\n2\t1A/0\tbefore 2026-01-01\n# a comment\n';
  expect(parseHistory(text)).toEqual([
    { timeline: 1, at: 0x3000060 },
    { timeline: 2, at: 0x1a00000000 },
  ]);
});
