/** Connects a producer with the settings of a worker. */
import type { Producer } from '../../kafka/port';
import type { CliIo } from '../io';
import { openCluster } from '../kafka/open-cluster';
import type { WorkerSetup } from '../worker/read-config';

/**
 * Returns a connected producer with the worker's settings, overridden by those with the prefix `producer.`.
 * @throws ConnectError `EMBEDDED_BROKER_ABSENT`; KafkaError if it cannot connect.
 */
export async function produceTo(
  setup: Pick<WorkerSetup, 'config' | 'embedded'>,
  io: Pick<CliIo, 'stderr' | 'env'>,
): Promise<Producer> {
  const { clients, settings, showLog } = await openCluster(setup, io, 'produce');
  const producer = clients.producer(settings('producer'));
  try {
    await producer.connect();
  } catch (error) {
    await producer.close();
    throw error;
  }
  showLog();
  return producer;
}
