/** The page on migration, with a cluster of Java's worker. */
import { startJavaConnect } from '../../../../dev/services/java-connect';
import type { StartedWorker } from '../../../../dev/services/worker';
import { Clients } from '../../../helpers/kafka-clients';
import { uniqueName } from '../../../helpers/unique-name';
import { describeWithJava } from '../../../conformance/java/fixtures';
import { Scenario } from '../scenario';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

describeWithJava('docs/how-to/move-from-java.md', () => {
  test('connect-runtime 28, 29: to Millrace and back, with the commands of the page', async () => {
    const clients = new Clients();
    ends.push(() => clients.close());
    const topic = await clients.topic();
    const producer = await clients.producer();
    const send = async (line: string): Promise<void> => {
      await producer.prepare([topic]);
      producer.send({ topic, partition: 0, key: null, value: Buffer.from(line) });
      await producer.flush();
    };
    const group = uniqueName('move');
    const kafkaPort = Number(process.env.BOOTSTRAP_SERVERS?.split(':').at(-1));
    const scenario = await Scenario.create({ kafkaPort });
    ends.push(() => scenario.end());

    const text = 'org.apache.kafka.connect.storage.StringConverter';
    const settings = {
      ...{ 'key.converter': text, 'value.converter': text, 'offset.flush.interval.ms': '1000' },
      ...{ 'scheduled.rebalance.max.delay.ms': '0' },
    };
    let java: StartedWorker | undefined;
    ends.push(() => java?.stop());
    const startJava = async (): Promise<void> => {
      java = await startJavaConnect({ group, port: scenario.ports.rest, settings });
      await java.ready();
    };
    await startJava();
    const sink = { 'connector.class': 'org.apache.kafka.connect.file.FileStreamSinkConnector', topics: topic };
    const config = { ...sink, file: `${scenario.folder}/orders.txt` };
    await java?.register({ name: 'orders-copy', config });
    await java?.running('orders-copy');
    await send('written while Java ran');

    const shared = {
      ...{ 'bootstrap.servers': 'localhost:9092', 'group.id': group },
      ...{ 'config.storage.topic': `${group}-configs`, 'offset.storage.topic': `${group}-offsets` },
      'status.storage.topic': `${group}-status`,
    };
    const partitioner = 'org.apache.kafka.clients.producer.RoundRobinPartitioner';
    const all = { ...shared, ...settings, 'producer.partitioner.class': partitioner };
    const lines = Object.entries(all).map(([key, value]) => `${key}=${value}\n`);
    scenario.write('worker.properties', lines.join(''));
    await scenario.run('docs/how-to/move-from-java.md', 'java/move-from-java', {
      'stop Java': async () => {
        await java?.stop();
        await send('written while no worker ran');
      },
      'start Java': async () => {
        await send('written while Millrace ran');
        await startJava();
      },
    });
  });
});
