/** The packed packages, installed outside the repository: a worker on Apache Kafka. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../../dev/services/free-port';
import { testWithKafka } from '../../../helpers/java';
import { uniqueName } from '../../../helpers/unique-name';
import { execute, Installation, textOf, waitForProcess } from '../installation';

let installation: Installation | undefined;
afterAll(async () => await installation?.remove());

testWithKafka('millrace start moves lines from a file through a topic of Apache Kafka into a file', async () => {
  installation = await Installation.create();
  const { folder } = installation;
  const group = uniqueName('installed');
  const [port, source, sink] = [await freePort(), join(folder, 'in.txt'), join(folder, 'out.txt')];
  const text = 'org.apache.kafka.connect.storage.StringConverter';
  const settings = {
    'bootstrap.servers': process.env.BOOTSTRAP_SERVERS,
    'group.id': group,
    listeners: `http://127.0.0.1:${port}`,
    'key.converter': text,
    'value.converter': text,
  };
  const topics = ['config', 'offset', 'status'].flatMap((name) => [
    `${name}.storage.topic=${group}-${name}`,
    `${name}.storage.replication.factor=1`,
  ]);
  const lines = [...Object.entries(settings).map(([key, value]) => `${key}=${value}`), ...topics];
  writeFileSync(join(folder, 'worker.properties'), `${lines.join('\n')}\n`);
  writeFileSync(source, 'one\ntwo\n');
  const connectors = [
    { name: 'source', config: { 'connector.class': 'FileStreamSource', file: source, topic: group } },
    { name: 'sink', config: { 'connector.class': 'FileStreamSink', file: sink, topics: group } },
  ];
  writeFileSync(join(folder, 'connectors.json'), JSON.stringify(connectors));

  const bin = 'node_modules/.bin/millrace';
  const worker = installation.start(bin, ['start', 'worker.properties']);
  await waitForProcess('the worker to listen', { process: worker, probe: () => worker.log().includes('listens on') });
  await execute(bin, ['apply', '-f', 'connectors.json', '--url', `http://127.0.0.1:${port}`], folder);
  await waitForProcess('both lines', { process: worker, probe: () => textOf(sink) === 'one\ntwo\n' });
  expect(await worker.stop()).toBe(0);
});
