/** `millrace signals`, and what `millrace delete` says of a connector's replication slot. */
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { millrace } from '../cli/connector-verbs';

let worker: StartedWorker;
let database: TestDatabase;

beforeEach(async () => {
  database = await TestDatabase.create('CREATE TABLE a (id int PRIMARY KEY)');
  worker = await startWorker({ group: uniqueName('deletion') });
  await worker.ready();
});
afterEach(async () => {
  await worker.stop();
  await database.drop();
});

test('signals are listed and sent; the statement that delete shows drops the slot', async () => {
  const { name } = database;
  const config = database.sourceConfig({ 'snapshot.mode': 'no_data' });
  await worker.register({ name, config });
  await worker.running(name);
  await waitFor('the stream', async () => (await database.streams()) === 1);

  const listed = await millrace(worker, 'signals', name);
  expect(listed).toMatchObject({ code: 0, err: '' });
  expect(listed.out).toContain(`millrace signals ${name} log -d '{"message":"Position: {}"}'\n`);
  const sent = await millrace(worker, 'signals', name, 'log', '-d', '{"message":"Position: {}"}', '--id', 'one');
  expect(sent).toEqual({ code: 0, out: `${name}: all tasks accepted log one\n`, err: '' });
  expect((await millrace(worker, 'logs', name)).out).toMatch(/INFO \S+ task 0 \[.*\] Position: \{"/);

  const deleted = await millrace(worker, 'delete', name, '--yes');
  expect(deleted).toMatchObject({ code: 0, out: `${name} deleted\n` });
  const statement = `SELECT pg_drop_replication_slot('${config['slot.name']}');`;
  const line = `${name}: this removes what it leaves there: ${statement}`;
  const lines = deleted.err.trimEnd().split('\n');
  expect(lines).toEqual([expect.stringContaining('replication slot'), line, line]);
  const slots = `SELECT slot_name FROM pg_replication_slots WHERE slot_name = '${config['slot.name']}'`;
  expect(await database.query(slots)).toHaveLength(1);
  await waitFor('the slot to be free', async () => (await database.streams()) === 0);
  await database.query(statement);
  expect(await database.query(slots)).toEqual([]);
});
