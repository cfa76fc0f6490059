/** A worker that prints one line when it is ready: where REST, broker and data are, and a request to begin with. */
import type { LogFormat } from '../../logging/format-line';
import type { Worker } from '../../worker';
import type { CliIo } from '../io';
import { paintOf } from '../output/colours';
import { firstStep, helloFile } from './first-step';
import { readyText, type NextStep } from './ready-text';
import { withRest } from './rest';

export interface DevOptions {
  /** Absolute path; null if the worker uses a Kafka cluster. */
  readonly dataDir: string | null;
  readonly format: LogFormat;
}

export function createDevWorker(worker: Worker, { dataDir, format }: DevOptions, io: CliIo): Worker {
  let stopping = false;

  async function announce(): Promise<void> {
    await worker.ready();
    const [url] = worker.urls;
    if (stopping || url === undefined) return;
    const next = await nextSteps(url);
    if (stopping) return;
    const facts = { rest: worker.urls.join(', '), kafka: worker.bootstrapServers, postgres: null, data: dataDir, next };
    io.stdout.write(readyText(facts, format, paintOf(io)));
  }

  /** Empty for a worker that `curl` cannot reach without credentials or a certificate. */
  async function nextSteps(url: string): Promise<readonly NextStep[]> {
    try {
      const connectors = await withRest(url, async (rest) => await rest.request<readonly string[]>('/connectors'));
      return [firstStep(url, connectors, dataDir && helloFile(dataDir))];
    } catch {
      return [];
    }
  }

  return {
    get urls() {
      return worker.urls;
    },
    get bootstrapServers() {
      return worker.bootstrapServers;
    },
    failed: worker.failed,
    ready: async () => await worker.ready(),
    start: async () => {
      await worker.start();
      // It fails only if the worker does, which reports that itself.
      void announce().catch(() => undefined);
    },
    stop: async () => {
      stopping = true;
      await worker.stop();
    },
  };
}
