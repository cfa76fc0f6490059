/** Apache Kafka as the tests start it, and its own tools on the worker's topics. */
import { runKafkaTool, startKafka } from '../../../dev/services/kafka';
import { isRunning } from '../../helpers/is-running';
import { testWithKafka } from '../../helpers/java';
import { waitFor } from '../../helpers/wait-for';
import { captureTodos } from '../end-to-end/capture';

testWithKafka('a Kafka node accepts settings, serves the Java tools, and leaves nothing after stop', async () => {
  const kafka = await startKafka({ settings: { 'num.partitions': '3' }, heap: '-Xmx256m' });
  const where = ['--bootstrap-server', kafka.bootstrapServers];
  await runKafkaTool('org.apache.kafka.tools.TopicCommand', [...where, '--create', '--topic', 'three']);
  // A broker answers with metadata from the controller, which may take a moment.
  await waitFor('the topic with three partitions', async () =>
    /Topic: three\s.*PartitionCount: 3/.test(
      await runKafkaTool('org.apache.kafka.tools.TopicCommand', [...where, '--describe']),
    ),
  );
  await expect(
    runKafkaTool('org.apache.kafka.tools.TopicCommand', [...where, '--create', '--topic', 'three']),
  ).rejects.toThrow(/TopicCommand failed: .*already exists/s);
  const pid = kafka.pid as number;
  expect(isRunning(pid)).toBe(true);
  await kafka.stop();
  expect(isRunning(pid)).toBe(false);
});

testWithKafka('the Java console consumer reads the events', async () => {
  const { topic, close } = await captureTodos();
  try {
    const output = await runKafkaTool('org.apache.kafka.tools.consumer.ConsoleConsumer', [
      ...['--bootstrap-server', process.env.BOOTSTRAP_SERVERS ?? '', '--topic', topic, '--from-beginning'],
      ...['--max-messages', '22', '--timeout-ms', '120000'],
    ]);
    const lines = output.trim().split('\n');
    expect(lines).toHaveLength(22);
    expect(JSON.parse(lines[20] as string).payload).toMatchObject({ before: { id: 20 }, after: null, op: 'd' });
    expect(lines[21]).toBe('null');
  } finally {
    await close();
  }
});
