/** A file into a topic: a worker process with a real broker, which is killed during the test. */
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { Clients, valuesOf } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const clients = new Clients();
const group = uniqueName('filesource');
const settings = {
  'offset.flush.interval.ms': '200',
  'offset.storage.partitions': '1',
  // Session timeout after a kill.
  'session.timeout.ms': '6000',
  'heartbeat.interval.ms': '1000',
};
let folder: string;
let worker: StartedWorker;

async function start(): Promise<void> {
  worker = await startWorker({ group, settings });
  await worker.ready();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-file-source-'));
  await start();
});
afterAll(async () => {
  await worker?.stop();
  await clients.close();
  await rm(folder, { recursive: true, force: true });
});

const config = (topic: string, file: string): Record<string, string> => ({
  'connector.class': 'FileStreamSource',
  topic,
  file,
  'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
  'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
});

/** All records until `enough`. */
async function read(topic: string, enough: (values: string[]) => boolean): Promise<string[]> {
  const consumer = await clients.assigned({ 'group.id': uniqueName('reader') });
  await consumer.assign([{ topic, partition: 0 }]);
  const values: string[] = [];
  await waitFor(
    `enough records in ${topic}`,
    async () => {
      values.push(...valuesOf(await consumer.poll(500)));
      return enough(values);
    },
    { detail: () => `${values.length} so far\n${worker.process.log().slice(-4000)}` },
  );
  await consumer.close();
  return values;
}

async function stored(file: string, position: number): Promise<void> {
  const consumer = await clients.assigned({ 'group.id': uniqueName('reader') });
  await consumer.assign([{ topic: `${group}-offsets`, partition: 0 }]);
  await waitFor(`position ${position} of ${file} to be stored`, async () => {
    const records = (await consumer.poll(500)).flatMap((batch) => batch.records);
    return records.some(
      ({ key, value }) =>
        String(key).includes(`{"filename":"${file}"}`) && String(value) === `{"position":${position}}`,
    );
  });
  await consumer.close();
}

test('connect-runtime 10.9: lines arrive in order; after a kill the source resumes from the stored offset', async () => {
  const topic = await clients.topic();
  const file = join(folder, 'resumed.txt');
  const first = Array.from({ length: 1000 }, (_, i) => `line ${i} ü`);
  await writeFile(file, first.map((line) => `${line}\n`).join(''));
  await worker.register({ name: topic, config: config(topic, file) });
  await stored(file, Buffer.byteLength(`${first.join('\n')}\n`));
  await worker.crash();
  await appendFile(file, 'after the crash\r\nunfinished');
  await start();
  const values = await read(topic, (all) => all.includes('after the crash'));
  expect(values).toEqual([...first, 'after the crash']);
});

test('connect-runtime 10.9: killed while reading, nothing is lost and order holds', async () => {
  const topic = await clients.topic();
  const file = join(folder, 'killed.txt');
  const count = 100_000;
  const lines = Array.from({ length: count }, (_, i) => String(i).padStart(100, '0'));
  await writeFile(file, lines.map((line) => `${line}\n`).join(''));
  await worker.register({ name: topic, config: config(topic, file) });
  await read(topic, (all) => all.length > 2000);
  await worker.crash();
  await start();
  const values = await read(topic, (all) => all.at(-1) === lines[count - 1]);
  // Duplicates are one contiguous range.
  expect([...new Set(values)]).toEqual(lines);
});

test('connect-runtime 10.9: a file that is created after the start; the log says that the task waits for it', async () => {
  const topic = await clients.topic();
  const file = join(folder, 'later.txt');
  await worker.register({ name: topic, config: { ...config(topic, file), 'tasks.max': '3' } });
  const status = await worker.running(topic);
  expect(status.tasks).toHaveLength(1);
  await waitFor('the log', () => worker.process.log().includes(`The file "${file}" does not exist, waiting for it`));
  await writeFile(file, 'here\n');
  expect(await read(topic, (all) => all.length > 0)).toEqual(['here']);
});

test('a directory as file fails the task with one sentence', async () => {
  const name = uniqueName('directory');
  await worker.register({ name, config: config(name, folder) });
  const status = await worker.statusWhen(name, ({ tasks }) => tasks[0]?.state === 'FAILED');
  expect(status.tasks[0]?.trace).toContain(`Cannot read the file "${folder}": it is a directory.`);
});

test('a topic that is deleted while idle gets lines again once it exists', async () => {
  const topic = await clients.topic();
  const file = join(folder, 'deleted-topic.txt');
  await writeFile(file, 'before\n');
  await worker.register({
    name: topic,
    config: { ...config(topic, file), 'producer.override.metadata.max.age.ms': '1000' },
  });
  expect(await read(topic, (all) => all.length > 0)).toEqual(['before']);
  await clients.admin.deleteTopics([topic]);
  await waitFor('the task to hear of it', () => worker.process.log().includes(`no longer knows topic '${topic}'`));
  await clients.topic(1, {}, topic);
  await appendFile(file, 'after\n');
  expect(await read(topic, (all) => all.length > 0)).toEqual(['after']);
});
