import { parseConfig } from '../../../../connectors/postgres/src/config/postgres-config';
import type { Client } from 'pg';
import { lostSlotError } from '../../../../connectors/postgres/src/replication/slot';
import {
  isMissingObject,
  leavesOutChanges,
  missingObject,
} from '../../../../connectors/postgres/src/replication/missing-object';

const config = parseConfig({
  name: 'test',
  'topic.prefix': 'p',
  'database.hostname': 'h',
  'database.user': 'u',
  'database.password': 'x',
  'database.dbname': 'd',
  'publication.name': 'of slot 1',
});
const reported = (message: string, file: string, code = '42704'): Error =>
  Object.assign(new Error(message), { code, file });

test.each([
  ['publication "of slot 1" does not exist', 'lsyscache.c', 'PG_PUBLICATION_MISSING'],
  ['Publikation »of slot 1« existiert nicht', 'pg_publication.c', 'PG_PUBLICATION_MISSING'],
  ['replication slot "debezium" does not exist', 'slot.c', 'PG_POSITION_LOST'],
  ['Replikations-Slot »debezium« existiert nicht', 'slot.c', 'PG_POSITION_LOST'],
  ['o slot de replicação "debezium" não existe', 'slot.c', 'PG_POSITION_LOST'],
  ['репликационный слот "debezium" не существует', 'slot.c', 'PG_POSITION_LOST'],
])('cdc-postgres 79, 85: what does not exist, in the language of the server: %s', (message, file, code) => {
  const error = reported(message, file);
  expect([isMissingObject(error), missingObject(config, error).code]).toEqual([true, code]);
});

test('cdc-postgres 85: a warning of changes that are left out is recognized in every language', () => {
  const warning = reported('Laden der Publikation »of slot 1« übersprungen', 'pgoutput.c', '55000');
  expect(leavesOutChanges(warning)).toBe(true);
  expect(leavesOutChanges(reported('other', 'slot.c', '55000'))).toBe(false);
  expect(leavesOutChanges({ code: '01000', file: 'pgoutput.c' })).toBe(false);
});

describe('cdc-postgres 80: a slot whose WAL was removed, in the language of the server', () => {
  const general = (slot: object | null): { get(): Promise<Client> } => ({
    get: async () => ({ query: async () => ({ rows: slot === null ? [] : [{ slot }] }) }) as unknown as Client,
  });
  const state = { plugin: 'pgoutput', restart_lsn: null, confirmed_flush_lsn: '0/1' };
  const lost = { ...state, wal_status: 'lost' };
  const idle = { ...lost, invalidation_reason: 'idle_timeout' };
  const kept = { ...state, wal_status: 'reserved' };

  test.each<[text: string, code: string, file: string, slot: object | null, reason: string | null]>([
    ['can no longer get changes from replication slot "s"', '55000', 'logical.c', lost, 'wal_removed'],
    ['kann keine Änderungen mehr vom Replikations-Slot »s« lesen', '55000', 'logical.c', lost, 'wal_removed'],
    ['cannot read from logical replication slot "s"', '55000', 'logical.c', lost, 'wal_removed'],
    ['can no longer access replication slot "s"', '55000', 'slot.c', idle, 'idle_timeout'],
    ['angefordertes WAL-Segment 0A wurde schon entfernt', '58P01', 'walsender.c', lost, 'wal_removed'],
    ['angefordertes WAL-Segment 0A wurde schon entfernt', '58P01', 'walsender.c', kept, 'angefordertes WAL-Segment'],
    ['logical decoding requires wal_level >= logical', '55000', 'logical.c', kept, null],
    ['could not access file "wal2json"', '58P01', 'dfmgr.c', kept, null],
    ['other', '22023', 'logical.c', lost, null],
  ])('%s (%s, %s)', async (text, code, file, slot, reason) => {
    const found = await lostSlotError(config, general(slot), reported(text, file, code));
    expect(found?.code ?? null).toBe(reason === null ? null : 'PG_SLOT_LOST');
    if (reason !== null) expect(found?.message).toContain(reason);
  });
});
