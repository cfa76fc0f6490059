import { parseConfig } from '../../../../connectors/postgres/src/config/postgres-config';
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
