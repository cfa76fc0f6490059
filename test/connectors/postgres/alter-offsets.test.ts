/** Offsets that a user sets over REST. Source: cdc-postgres §6, connect-runtime §3.8. */
import { postgresConnector } from '../../../connectors/postgres/src/connector';

const alter = (partition: unknown, offset: unknown, change: 'alter' | 'reset' = 'alter'): unknown =>
  postgresConnector.alterOffsets?.({}, [[partition, offset]] as never, change);
const LAYOUT = { server: 'shop', slot: 'layout' };

test('valid positions pass; moving the slot back is left to the user', () => {
  expect(alter({ server: 'shop' }, { lsn: 23_876_543_210, lsn_commit: 9_007_199_254_740_993n, txId: 7 })).toBe(false);
  expect(alter({ server: 'shop' }, { lsn: 0, lsn_proc: null, more: 'x' })).toBe(false);
});

test('any stored offset may be removed', () => {
  expect(alter({ server: 'shop' }, null)).toBe(false);
  expect(alter({ wrong: 1 }, null)).toBe(false);
  expect(alter(null, null)).toBe(false);
});

test('the slot layout is removed with all offsets, also if no other is stored', () => {
  expect(alter(LAYOUT, null, 'reset')).toBe(false);
});

const KEPT_LAYOUT =
  'The stored slot layout cannot be altered or removed alone. To change it, reset all offsets of the connector.';

test.each<[unknown, unknown, string]>([
  [LAYOUT, { layout: '4' }, KEPT_LAYOUT],
  [LAYOUT, null, KEPT_LAYOUT],
  [{ wrong: 1 }, { lsn: 1 }, 'The partition of a PostgreSQL connector is {"server": "<topic.prefix>"}.'],
  [null, { lsn: 1 }, 'The partition of a PostgreSQL connector is {"server": "<topic.prefix>"}.'],
  [{ server: 'shop' }, { lsn: -5 }, 'The offset member "lsn" must be an integer of at least 0, but is -5.'],
  [
    { server: 'shop' },
    { lsn_proc: '0/1' },
    'The offset member "lsn_proc" must be an integer of at least 0, but is 0/1.',
  ],
  [
    { server: 'shop' },
    { lsn_commit: 1.5 },
    'The offset member "lsn_commit" must be an integer of at least 0, but is 1.5.',
  ],
])('%j, %j is rejected', (partition, offset, message) => {
  expect(() => alter(partition, offset)).toThrow(expect.objectContaining({ code: 'PG_OFFSET', message }));
});
