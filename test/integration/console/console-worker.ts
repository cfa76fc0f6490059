/** A worker with a connector whose states a test decides. */
import { join } from 'node:path';
import { startWorker, type StartedWorker, type WorkerOptions } from '../../../dev/services/worker';

export const CLASS = 'dev.ScriptedSourceConnector';

/** Failed tasks remain failed, so that the page shows a state until a test changes it. */
export async function startConsoleWorker(options: WorkerOptions): Promise<StartedWorker> {
  const worker = await startWorker({
    ...options,
    settings: {
      'plugin.path': join(__dirname, 'fixtures'),
      'errors.restart.max': '0',
      ...options.settings,
    },
  });
  await worker.ready();
  return worker;
}

/** Registers a connector of `CLASS`. */
export async function register(
  worker: StartedWorker,
  name: string,
  config: Readonly<Record<string, string>> = {},
): Promise<void> {
  await worker.register({ name, config: { 'connector.class': CLASS, 'tasks.max': config.tasks ?? '1', ...config } });
}
