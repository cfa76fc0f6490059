import { statusUpdate } from '../../../../connectors/postgres/src/replication/replication-messages';

test('a status contains the exact written, flushed and applied positions, not incremented', () => {
  const message = statusUpdate(0x1_0000_0005, 0xffff_ffffn, 946_684_800_000 + 1500, true);
  expect(message.toString('hex')).toBe(
    '72' +
      '0000000100000005' +
      '00000000ffffffff' +
      '00000000ffffffff' +
      (1_500_000).toString(16).padStart(16, '0') +
      '01',
  );
});

test('nothing acknowledged yet is zero', () => {
  expect(statusUpdate(5, 0, 946_684_800_000, false).readBigUInt64BE(9)).toBe(0n);
});
