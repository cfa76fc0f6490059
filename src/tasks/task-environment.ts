/** What a task needs from the worker. */
import type { WorkerConfig } from '../config/worker-config';
import type { KafkaClients } from '../kafka/port';
import type { Logger } from '../logging/logger';
import type { PluginRegistry } from '../plugins/registry';
import type { ExactlyOnceGate, OffsetStorage } from './host';

export interface TaskEnvironment {
  readonly config: WorkerConfig;
  readonly clients: KafkaClients;
  readonly registry: PluginRegistry;
  readonly offsets: OffsetStorage;
  /** Absent: exactly-once tasks cannot start. */
  readonly gate?: ExactlyOnceGate;
  readonly logger: Logger;
}
