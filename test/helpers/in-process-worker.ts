/** A worker in the process of the tests: without threads and signal handlers, from the sources. */
import { Writable } from 'node:stream';
import { startEmbeddedBroker } from '@millrace/embedded';
import { parseProperties } from '@millrace/texts/properties';
import { workerProperties, type WorkerOptions } from '../../dev/services/worker';
import { createConfigResolver } from '../../src/config/providers/config-resolver';
import { parseWorkerConfig } from '../../src/config/worker-config';
import { LogLevels } from '../../src/logging/log-levels';
import { createLogger } from '../../src/logging/winston-logger';
import { createWorker } from '../../src/worker';

export interface InProcessWorker {
  readonly url: string;
  readonly bootstrapServers: string;
  stop(): Promise<void>;
}

/**
 * Resolves when the worker is a member of its group, at a free port.
 * @param options without `bootstrapServers`, the worker starts a broker in memory, and stops it.
 */
export async function startInProcessWorker(
  options: Pick<WorkerOptions, 'bootstrapServers' | 'group' | 'settings'>,
): Promise<InProcessWorker> {
  if (options.bootstrapServers !== undefined) return await startAt(options.bootstrapServers, options);
  const broker = await startEmbeddedBroker({ memory: true, log: () => undefined });
  try {
    const worker = await startAt(broker.bootstrapServers, options);
    return {
      ...worker,
      stop: async () => {
        try {
          await worker.stop();
        } finally {
          await broker.stop();
        }
      },
    };
  } catch (error) {
    await broker.stop();
    throw error;
  }
}

async function startAt(
  bootstrapServers: string,
  { group, settings }: Pick<WorkerOptions, 'group' | 'settings'>,
): Promise<InProcessWorker> {
  const properties = parseProperties(
    workerProperties(0, { bootstrapServers, group, settings: { 'task.host': 'inline', ...settings } }),
  );
  const levels = new LogLevels();
  const worker = createWorker(parseWorkerConfig(properties), {
    logger: createLogger({ levels, stream: new Writable({ write: (_line, _encoding, done) => done() }) }),
    levels,
    resolver: createConfigResolver({ settings: properties, env: {}, warn: () => undefined }),
  });
  try {
    await worker.start();
    await worker.ready();
  } catch (error) {
    await worker.stop();
    throw error;
  }
  return { url: worker.urls[0] as string, bootstrapServers, stop: () => worker.stop() };
}
