/**
 * The broker that tests run against: the embedded one, or with `TEST_BROKER=kafka` Apache Kafka. A cluster named by
 * `BOOTSTRAP_SERVERS` is used instead of a shared one of either kind.
 */
import { startEmbedded } from './embedded';
import { givenCluster, startKafka, type KafkaOptions, type RunningKafka } from './kafka';

export type BrokerKind = 'embedded' | 'kafka';

/** What `TEST_BROKER` says. (Default: `embedded`) */
export function brokerKind(): BrokerKind {
  const kind = process.env.TEST_BROKER || 'embedded';
  if (kind !== 'embedded' && kind !== 'kafka') {
    throw new Error(`TEST_BROKER is '${kind}': it can be 'embedded' or 'kafka'`);
  }
  return kind;
}

/**
 * A broker of one's own, of the chosen kind.
 * @param kafka how Apache Kafka is started, if it is
 */
export async function startBroker(kafka: KafkaOptions = {}): Promise<RunningKafka> {
  return brokerKind() === 'embedded' ? await startEmbedded() : await startKafka(kafka);
}

/** The cluster named by `BOOTSTRAP_SERVERS`, or else a new broker of the chosen kind. */
export async function useOrStartBroker(): Promise<RunningKafka> {
  return givenCluster() ?? (await startBroker({ heap: process.env.KAFKA_HEAP ?? '-Xmx1g' }));
}
