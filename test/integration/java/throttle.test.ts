/**
 * Apache Kafka's quotas, which the embedded broker does not have: clients are throttled, and nothing is lost,
 * duplicated or reordered.
 */
import { runKafkaTool } from '../../../dev/services/kafka';
import { CountedRun } from '../../helpers/counted-run';
import { testWithKafka } from '../../helpers/java';
import { Clients } from '../../helpers/kafka-clients';
import { bootstrap } from '../kafka/producer-fixtures';
import { uniqueName } from '../../helpers/unique-name';

const WRITTEN_PER_SECOND = 20_000;
/** Shared by two readers: they read the records, and are throttled now and then. */
const READ_PER_SECOND = 60_000;

testWithKafka('kafka-client 3: a quota on producers and consumers', async () => {
  const clientId = uniqueName('throttled');
  const quota = async (...change: string[]): Promise<unknown> =>
    await runKafkaTool('kafka.admin.ConfigCommand', [
      ...['--bootstrap-server', bootstrap(), '--alter', '--entity-type', 'clients', '--entity-name', clientId],
      ...change,
    ]);
  const clients = new Clients({ 'client.id': clientId });
  await quota('--add-config', `producer_byte_rate=${WRITTEN_PER_SECOND},consumer_byte_rate=${READ_PER_SECOND}`);
  try {
    const run = await CountedRun.start(clients);
    const began = Date.now();
    const records = 3_000;
    await run.passes(records);
    // A record has more than 100 bytes. Kafka averages over 11 s, so the first ones pass at any rate.
    const atQuota = (records * 100) / WRITTEN_PER_SECOND;
    expect((Date.now() - began) / 1000).toBeGreaterThan(atQuota - 11);
    await run.finish();
  } finally {
    await clients.close();
    await quota('--delete-config', 'producer_byte_rate,consumer_byte_rate');
  }
});
