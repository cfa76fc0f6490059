/**
 * The broker that tests run against: the embedded one, or with `TEST_BROKER=kafka` Apache Kafka. A cluster named by
 * `BOOTSTRAP_SERVERS` is used instead of a shared one of either kind.
 */
import { startEmbedded } from './embedded';
import { givenCluster, startKafka, type KafkaOptions, type RunningKafka } from './kafka';

export type BrokerKind = 'embedded' | 'kafka';

/** The value of `TEST_BROKER`. (Default: `embedded`) */
export function brokerKind(): BrokerKind {
  const kind = process.env.TEST_BROKER || 'embedded';
  if (kind !== 'embedded' && kind !== 'kafka') {
    throw new Error(`TEST_BROKER is '${kind}': it must be 'embedded' or 'kafka'`);
  }
  return kind;
}

/**
 * Starts a separate broker of the chosen kind.
 * @param kafka options if the broker is Apache Kafka
 */
export async function startBroker(kafka: KafkaOptions = {}): Promise<RunningKafka> {
  return brokerKind() === 'embedded' ? await startEmbedded() : await startKafka(kafka);
}

/** The cluster at `BOOTSTRAP_SERVERS`, or a new broker of the chosen kind. */
export async function useOrStartBroker(): Promise<RunningKafka> {
  return givenCluster() ?? (await startBroker({ heap: process.env.KAFKA_HEAP ?? '-Xmx1g' }));
}
