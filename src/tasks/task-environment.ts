/** What a task needs from the worker. */
import type { WorkerConfig } from '../config/worker-config';
import type { KafkaClients } from '@millrace/kafka-client';
import type { Logger } from '../logging/logger';
import type { PluginRegistry } from '../plugins/registry';
import type { ExactlyOnceGate, OffsetStorage } from './host';
import type { SourcePreview } from './source-preview';

export interface TaskEnvironment {
  readonly config: WorkerConfig;
  readonly clients: KafkaClients;
  readonly registry: PluginRegistry;
  readonly offsets: OffsetStorage;
  /** Absent: exactly-once tasks cannot start. */
  readonly gate?: ExactlyOnceGate;
  /** Source tasks pass their records to it and write nothing: `offsets` must be in memory. Absent: they write. */
  readonly preview?: SourcePreview;
  readonly logger: Logger;
}
