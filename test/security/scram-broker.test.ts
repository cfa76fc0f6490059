/** A Kafka broker that requires a password to be hashed for hours: it fails tasks, and nothing else of the worker. */
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { uniqueName } from '../helpers/unique-name';
import { fakeBroker, type FakeBroker } from '../kafka/network/fake-broker';

let broker: FakeBroker;
let worker: StartedWorker;

beforeAll(async () => {
  broker = await fakeBroker({
    sasl: {
      'SCRAM-SHA-256': () => (message) => {
        const nonce = /r=([^,]*)/.exec(message.toString())?.[1] as string;
        return Buffer.from(`r=${nonce}broker,s=${Buffer.alloc(16).toString('base64')},i=2147483647`);
      },
    },
  });
  worker = await startWorker({ group: uniqueName('scram-broker') });
  await worker.ready();
});
afterAll(async () => {
  await worker?.stop();
  await broker?.close();
});

test('more tasks than threads of the pool: each fails at once, and SIGTERM ends the worker', async () => {
  const login = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";';
  const names = Array.from({ length: 5 }, (_, i) => `c${i}`);
  for (const name of names) {
    const config = {
      ...fileSinkConfig(uniqueName('t'), '/dev/null'),
      'consumer.override.bootstrap.servers': broker.server,
      'consumer.override.security.protocol': 'SASL_PLAINTEXT',
      'consumer.override.sasl.mechanism': 'SCRAM-SHA-256',
      'consumer.override.sasl.jaas.config': login,
    };
    await worker.register({ name, config });
  }
  for (const name of names) {
    const { tasks } = await worker.statusWhen(name, ({ tasks: [task] }) => task?.state === 'FAILED');
    expect(tasks[0]?.trace).toContain('requires the password to be hashed 2147483647 times; the limit is 100000');
  }
  expect(await worker.stop()).toBe(0);
});
