/** What a task needs from the worker. */
import type { WorkerConfig } from '../config/worker-config';
import type { KafkaClients } from '../kafka/port';
import type { Logger } from '../logging/logger';
import type { PluginRegistry } from '../plugins/registry';
import type { OffsetStorage } from './host';

export interface TaskEnvironment {
  readonly config: WorkerConfig;
  readonly clients: KafkaClients;
  readonly registry: PluginRegistry;
  readonly offsets: OffsetStorage;
  readonly logger: Logger;
}
