/** What a task gets that runs in this process without a worker. */
import type { Logger, SourceTaskContext } from '@millrace/sdk';
import { MemoryConnection, MemoryConsumers, MemoryMetrics, MemoryProducers } from '@millrace/sdk/testing';

export interface TaskContextOptions {
  readonly config: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Gets each line. */
  readonly log: (message: string) => void;
  readonly storeOffset: SourceTaskContext['storeOffset'];
}

/** No offset is stored. */
export function taskContext({ config, signal, log, storeOffset }: TaskContextOptions): SourceTaskContext {
  const nothing = (): void => undefined;
  const logger: Logger = { error: log, warn: log, info: log, debug: nothing, trace: nothing };
  return {
    connector: 'comparison',
    task: 0,
    logger,
    signal,
    workerSettings: {},
    metrics: new MemoryMetrics(),
    connection: new MemoryConnection(),
    createProducer: new MemoryProducers().create,
    createConsumer: new MemoryConsumers().create,
    configs: () => config,
    offsets: { offset: async () => null, offsets: async (partitions) => partitions.map(() => null) },
    exactlyOnce: false,
    transactionContext: null,
    columnConverter: () => Promise.reject(new Error('No column converter is installed.')),
    storeOffset,
  };
}
