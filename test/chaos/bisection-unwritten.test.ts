/**
 * The dead letter of a batch that a sink rejects is not written when the worker is killed: the record stays before the
 * committed offset, and is a dead letter of the worker that follows.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useEmbeddedBroker } from '@millrace/embedded';
import type { StartedWorker } from '../../dev/services/worker';
import { Clients } from '../helpers/kafka-clients';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';
import { committedOffset, deadLetters, registerTableSink, startTableWorker, valuesInTable } from './table-sink';

const RECORDS = 300;
const BAD = 77;
const VALUES = Array.from({ length: RECORDS }, (_, i) => (i === BAD ? 'bad' : `v${i}`));
const GOOD = VALUES.filter((value) => value !== 'bad');

const broker = useEmbeddedBroker();
const folder = mkdtempSync(join(tmpdir(), 'millrace-unwritten-'));
let clients: Clients | undefined;
let worker: StartedWorker | undefined;
// While the broker still runs.
afterEach(async () => {
  await worker?.stop();
  await clients?.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('killed while a dead letter is not written: one record costs log2(n) + 1 further calls, and none is lost', async () => {
  const kafka = (clients = new Clients({ 'bootstrap.servers': broker.bootstrapServers }));
  const name = uniqueName('unwritten');
  const start = async (): Promise<StartedWorker> =>
    (worker = await startTableWorker(name, { bootstrapServers: broker.bootstrapServers }));
  const table = join(folder, 'table');
  const puts = join(folder, 'puts');
  const sink = { name, topic: await kafka.topic(), deadLetterTopic: await kafka.topic(), table };
  await kafka.send(sink.topic, VALUES);
  const resume = broker.faults.pausePartition(sink.deadLetterTopic, 0);
  const killed = await start();
  await registerTableSink(killed, sink, { puts });
  await waitFor('the other records', () => valuesInTable(table).length === GOOD.length);
  expect(valuesInTable(table)).toEqual(GOOD);
  const sizes = readFileSync(puts, 'utf8').trim().split('\n').map(Number);
  expect(sizes[0]).toBe(RECORDS);
  expect(sizes.length - 1).toBeLessThanOrEqual(Math.ceil(Math.log2(RECORDS)) + 1);
  await waitFor('a commit up to the record', async () => (await committedOffset(killed, sink)) === BAD);
  await killed.crash();
  resume();
  const next = await start();
  await waitFor('all offsets to be committed', async () => (await committedOffset(next, sink)) === RECORDS, {
    detail: () => next.process.log(),
  });
  expect([...new Set(valuesInTable(table))]).toEqual(GOOD);
  expect(await deadLetters(kafka, sink)).toEqual(['bad']);
});
