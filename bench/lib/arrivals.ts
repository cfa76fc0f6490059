/**
 * Process that reads a topic of change events and sends its parent when each row was seen. Started by `followTopic`.
 * Times are microseconds of the wall clock.
 */
import { fork } from 'node:child_process';
import { createKafkaClients } from '@millrace/kafka-client/clients';
import { silentLogger } from '../../src/logging/logger';

export interface Arrival {
  readonly id: number;
  readonly seen: number;
  /** When PostgreSQL committed it, and when the connector read it, as the event says. */
  readonly committed: number;
  readonly decoded: number;
}

export const microseconds = (): number => (performance.timeOrigin + performance.now()) * 1000;

/** Resolves with a function that stops following, once the topic is being followed. */
export async function followTopic(
  bootstrapServers: string,
  topic: string,
  onArrivals: (arrivals: readonly Arrival[]) => void,
): Promise<() => Promise<void>> {
  const child = fork(__filename, [bootstrapServers, topic], { execArgv: ['-r', './dev/register.js'] });
  await new Promise<void>((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`the consumer has ended: ${code}`)));
    child.on('message', (message: 'ready' | Arrival[]) => (message === 'ready' ? resolve() : onArrivals(message)));
  });
  return async () => void child.kill();
}

async function follow(bootstrapServers: string, topic: string): Promise<void> {
  const client = { 'bootstrap.servers': bootstrapServers, 'client.id': 'bench-consumer' };
  const consumer = createKafkaClients(silentLogger).assignedConsumer({
    ...client,
    'auto.offset.reset': 'earliest',
  });
  await consumer.connect();
  consumer.assign([{ topic, partition: 0 }]);
  process.send?.('ready');
  let arrivals: Arrival[] = [];
  for (;;) {
    const batches = await consumer.poll(100);
    const seen = microseconds();
    for (const { value } of batches.flatMap(({ records }) => records)) {
      const {
        after,
        ts_us: decoded,
        source,
      } = JSON.parse(String(value)) as {
        readonly after: { readonly id: number };
        readonly ts_us: number;
        readonly source: { readonly ts_us: number };
      };
      arrivals.push({ id: after.id, seen, committed: source.ts_us, decoded });
    }
    if (arrivals.length < 1000 && batches.length > 0) continue;
    process.send?.(arrivals);
    arrivals = [];
  }
}

if (require.main === module) void follow(process.argv[2] as string, process.argv[3] as string);
