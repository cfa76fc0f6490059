/**
 * A worker is killed while it looks for the records of a batch that a sink rejects: no record is lost, and only the
 * rejected ones are in the dead letter topic.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clients } from '../helpers/kafka-clients';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';
import {
  committedOffset,
  deadLetters,
  killedFile,
  registerTableSink,
  startTableWorker,
  valuesInTable,
} from './table-sink';

const RECORDS = 300;
const BAD = [0, 77, 78, 299];
const VALUES = Array.from({ length: RECORDS }, (_, i) => (BAD.includes(i) ? `bad${i}` : `v${i}`));
const GOOD = VALUES.filter((value) => value.startsWith('v'));

const clients = new Clients();
const folder = mkdtempSync(join(tmpdir(), 'millrace-bisection-'));
afterAll(async () => {
  await clients.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ['before a part is written', 3, false],
  ['after a part is written', 9, true],
])('killed %s: every record is delivered or a dead letter', async (_when, at, after) => {
  const name = uniqueName('bisection');
  const table = join(folder, name);
  const sink = { name, topic: await clients.topic(), deadLetterTopic: await clients.topic(), table };
  await clients.send(sink.topic, VALUES);
  let worker = await startTableWorker(name);
  try {
    await registerTableSink(worker, sink, { 'kill.at': String(at), 'kill.after': String(after) });
    await worker.exited();
    expect(existsSync(killedFile(table))).toBe(true);
    await worker.stop();
    worker = await startTableWorker(name);
    await waitFor('all offsets to be committed', async () => (await committedOffset(worker, sink)) === RECORDS, {
      detail: () => worker.process.log(),
    });
    expect([...new Set(valuesInTable(table))]).toEqual(GOOD);
    expect((await deadLetters(clients, sink)).sort()).toEqual(BAD.map((i) => `bad${i}`).sort());
    const state = (await worker.status(name)).tasks[0]?.state;
    expect(state).toBe('RUNNING');
  } finally {
    await worker.stop();
  }
});
