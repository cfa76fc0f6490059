/** Creates the task host that the worker settings select. */
import type { WorkerConfig } from '../../config/worker-config';
import type { KafkaClients } from '@millrace/kafka-client';
import type { LogLevels } from '../../logging/log-levels';
import type { Logger } from '../../logging/logger';
import type { PluginRegistry } from '../../plugins/registry';
import type { ExactlyOnceGate, OffsetStorage, TaskHost, TaskListener } from '../host';
import { InlineTaskHost } from './inline-task-host';
import { ThreadTaskHost } from './thread-task-host';

export interface TaskHostOptions {
  readonly config: WorkerConfig;
  readonly offsets: OffsetStorage;
  readonly listener: TaskListener;
  readonly logger: Logger;
  readonly levels: LogLevels;
  /** Where new threads reach the JVMs of plugins in jars. (Default: they cannot) */
  readonly jvmChannel?: () => string | null;
  /** With `catalog`, threads need not scan the plugin folders. */
  readonly registry: PluginRegistry & { readonly catalog: unknown };
  /** Absent: exactly-once tasks cannot start. */
  readonly gate?: ExactlyOnceGate;
  /** For tasks in this thread; task threads create their own. */
  readonly clients: KafkaClients;
}

export function createTaskHost(kind: 'thread' | 'inline', options: TaskHostOptions): TaskHost {
  const { config, offsets, gate, listener, logger, levels, registry, clients } = options;
  const { jvmChannel = () => null } = options;
  if (kind === 'inline') return new InlineTaskHost({ config, clients, registry, offsets, gate, logger }, listener);
  return new ThreadTaskHost({
    data: {
      settings: config.raw,
      get catalog() {
        return registry.catalog;
      },
      get jvms() {
        return jvmChannel();
      },
    },
    threads: config.taskThreads,
    gracefulTimeoutMs: config.taskShutdownGracefulTimeoutMs,
    silenceMs: config.watchdog.threadMs,
    watchdogMs: config.watchdog.taskMs,
    watchdogAction: config.watchdog.taskAction,
    offsets,
    gate,
    listener,
    logger,
    levels,
  });
}
