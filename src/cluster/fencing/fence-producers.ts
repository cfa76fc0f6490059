import type { ConnectorConfig } from '@millrace/sdk';
import type { KafkaClients } from '@millrace/kafka-client';
import { fencingAdminConfig, type WorkerClientSettings } from '../../tasks/clients/client-configs';

export interface ProducerFencing {
  readonly clients: Pick<KafkaClients, 'admin'>;
  readonly worker: WorkerClientSettings;
  readonly connector: string;
  /** Resolved: tasks use the connector's cluster and its principal. */
  readonly config: ConnectorConfig;
}

/** Fences the producers with these transactional ids, one list after the other, until the signal is aborted. */
export async function fenceProducers(
  { clients, worker, connector, config }: ProducerFencing,
  lists: Iterable<readonly string[]>,
  signal: AbortSignal,
): Promise<void> {
  const admin = clients.admin(fencingAdminConfig(worker, connector, config));
  const close = (): void => void admin.close();
  signal.addEventListener('abort', close);
  try {
    for (const ids of lists) {
      if (signal.aborted) return;
      await admin.fenceProducers(ids);
    }
  } finally {
    signal.removeEventListener('abort', close);
    await admin.close();
  }
}
