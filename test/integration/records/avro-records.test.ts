/** Records in Avro as the console's route and the command line show them, with a registry that answers and without. */
import { join } from 'node:path';
import { startRegistryProcess, type RegistryProcess } from '../../../dev/services/schema-registry';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { runCli } from '../../../src/cli/cli';
import { FakeIo } from '../../cli/fake-io';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { Clients, readToEnd } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';

const CONNECTOR = 'rows';
const clients = new Clients();
const letters = uniqueName('letters');
let topic: string;
let registry: RegistryProcess;
let worker: StartedWorker;

beforeAll(async () => {
  topic = await clients.topic(1, { 'retention.ms': '-1' });
  [registry, worker] = await Promise.all([startRegistryProcess(), startWorker({ group: uniqueName('avro-records') })]);
  await worker.ready();
  await worker.register({
    name: CONNECTOR,
    config: fileSinkConfig(topic, join(worker.folder, 'rows.txt'), {
      'value.converter': 'io.confluent.connect.avro.AvroConverter',
      'value.converter.schema.registry.url': registry.url,
      'errors.tolerance': 'all',
      'errors.deadletterqueue.topic.name': letters,
      'errors.deadletterqueue.topic.replication.factor': '1',
    }),
  });
  await worker.running(CONNECTOR);
});
afterAll(async () => {
  await registry?.comeBack();
  await worker?.stop();
  await registry?.stop();
  await clients.close();
});

/** Of the wire format: a record of one small number. */
const struct = (id: number, n: number): Buffer => Buffer.from([0, 0, 0, id >> 8, id & 255, n * 2]);
const schemaOf = (name: string) => ({ type: 'record', name, fields: [{ name: 'n', type: 'int' }] });

async function send(value: Buffer): Promise<void> {
  const producer = await clients.producer(topic);
  producer.send({ topic, partition: 0, key: Buffer.from('k'), value, timestamp: Date.now() });
  await producer.flush();
}

async function cli(...args: string[]): Promise<FakeIo> {
  const env = { BOOTSTRAP_SERVERS: process.env.BOOTSTRAP_SERVERS ?? '', MILLRACE_CONTEXTS: '/nowhere' };
  const io = new FakeIo('/', env);
  expect(await runCli([...args, '--converters-of', CONNECTOR, '--url', worker.url, '-o', 'json'], io)).toBe(0);
  return io;
}

async function newest(of: string): Promise<{ value: { text: string; error: string | null } }> {
  const answer = await worker.request('GET', `/ui/api/connectors/${CONNECTOR}/records?topic=${of}&limit=1`);
  return answer.json.records[0];
}

/** What `millrace` writes for the last record, parsed. */
const value = ({ out }: FakeIo): unknown => (JSON.parse(out) as { value: unknown }).value;

test('by the converters of the connector; without the registry their bytes, and why', async () => {
  const id = await registry.register('rows-value', schemaOf('Row'));
  await send(struct(id, 1));
  expect((await newest(topic)).value).toEqual({ text: '{"n":1}', error: null });
  const consumed = await cli('consume', topic, '--exit', '--from', '-1');
  expect(value(consumed)).toEqual({ n: 1 });
  expect(consumed.err).toBe('');

  // A number without its schema's bytes: the sink's dead letter.
  const broken = struct(id, 1).subarray(0, 5);
  await send(broken);
  const consumer = await clients.assigned();
  await consumer.assign([{ topic: letters, partition: 0 }]);
  await readToEnd(consumer, { topic: letters, partition: 0 }, 1);
  const letter = await cli('dlq', 'show', letters, '-n', '1');
  expect(value(letter)).toBe(broken.toString('latin1'));
  expect(letter.err).toMatch(/Some values cannot be read with io\.confluent\.connect\.avro\.AvroConverter .* ends/);
  expect((await newest(letters)).value).toEqual({
    text: broken.toString(),
    error: expect.stringContaining('ends'),
  });

  const other = await registry.register('rows-value', { ...schemaOf('Row'), doc: 'Another one.' });
  const bytes = struct(other, 2);
  await registry.leave('frozen');
  await send(bytes);
  // The limits of the converters' own requests are a minute.
  const [shown, waited] = await Promise.all([newest(topic), cli('consume', topic, '--exit', '--from', '-1')]);
  expect(shown.value.error).toBe('Not converted: the converter was not ready within 7 s.');
  expect(shown.value.text).toBe(bytes.toString());
  expect(value(waited)).toBe(bytes.toString('latin1'));
  expect(waited.err).toContain('The converter is not ready within 6.5 s.');

  await registry.leave('killed');
  await registry.comeBack();
  expect(value(await cli('consume', topic, '--exit', '--from', '-1'))).toEqual({ n: 2 });
});
