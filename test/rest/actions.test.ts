import request from 'supertest';
import { readManifest } from '../../src/plugins/manifest';
import { statementOf } from '../../src/rest/routes/actions';
import { builtIn } from '../helpers/fake-plugins';
import { join } from 'node:path';
import { fakeWorker } from './fake-worker';

const STATEMENT = { text: "DROP '{slot.name:debezium}' OF {host:h};", onlyWith: { 'drop.on.stop': 'false' } };

test('an action means what the manifest says; a connector without a manifest has no signals that are known', async () => {
  const effects = { delete: 'A slot remains.', deleteStatement: STATEMENT };
  const signals = [{ type: 'reload', description: 'Reads again.', example: { all: true } }];
  const plugin = builtIn('org.example.Declared', { type: 'source' } as never);
  const { app, herder } = fakeWorker({
    plugins: [{ ...plugin, description: { ...plugin.description, console: { effects }, signals } }],
  });
  const entry = { type: 'source' as const, target: 'STARTED' as const, state: 'RUNNING' as const, taskStates: [] };
  herder.entries.set('a', { ...entry, config: { 'connector.class': 'org.example.Declared', 'slot.name': 's1' } });
  herder.entries.set('b', { ...entry, config: { 'connector.class': 'org.example.Other' } });
  const none = { stop: null, restart: null, delete: null, reset_offsets: null, change_offsets: null };
  expect((await request(app).get('/connectors/a/actions')).body).toEqual({
    ...{ name: 'a', effects: { ...none, delete: 'A slot remains.' }, signals },
    delete_statement: "DROP 's1' OF h;",
  });
  expect((await request(app).get('/connectors/b/actions')).body).toEqual({
    ...{ name: 'b', effects: none, signals: null, delete_statement: null },
  });
  expect((await request(app).get('/connectors/none/actions')).status).toBe(404);
});

test.each([
  [{}, "DROP 'debezium' OF h;"],
  [{ 'slot.name': 'a_b.c-1', host: 'db' }, "DROP 'a_b.c-1' OF db;"],
  [{ 'drop.on.stop': 'true' }, null],
  [{ 'drop.on.stop': 'false' }, "DROP 'debezium' OF h;"],
  [{ 'slot.name': "x'); DROP TABLE orders; --" }, null],
  [{ 'slot.name': '${env:SLOT}' }, null],
  [{ 'slot.name': '[hidden]' }, null],
])('the statement of the config %j', (config, expected) => {
  expect(statementOf(STATEMENT, config as never)).toBe(expected);
});

test("PostgreSQL's manifest has a statement that drops the slot", () => {
  const [entry] = readManifest(join(__dirname, '../../connectors/postgres'))?.entries ?? [];
  const statement = entry?.description.console?.effects?.deleteStatement;
  expect(statement && statementOf(statement, { 'slot.name': 'orders' })).toBe(
    "SELECT pg_drop_replication_slot('orders');",
  );
});
