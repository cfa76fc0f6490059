/**
 * The worker of `millrace dev`. When it is ready it prints one line: where REST, broker and data are, and commands to
 * begin with. With `seed` it has a PostgreSQL whose changes arrive in a file.
 */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { CliIo } from '@millrace/cli';
import { withRest } from '@millrace/cli/rest';
import { paintOf, shellQuote } from '@millrace/cli/terminal';
import type { LogFormat } from '../../../logging/format-line';
import type { Worker } from '../../../worker';
import type * as Opening from './postgres/open-postgres';
import type { OpenPostgres } from './postgres/open-postgres';
import { firstStep, helloFile, type NextStep, ownCommand, readyText } from './ready-text';
import type * as Seeding from './seed';

export interface DevOptions {
  /** Absolute path; null if the worker uses a Kafka cluster. */
  readonly dataDir: string | null;
  readonly format: LogFormat;
  /** Absolute path of the database; null without `--seed`. */
  readonly seed: { readonly dataDir: string; readonly isDefault: boolean } | null;
}

export function createDevWorker(worker: Worker, { dataDir, format, seed }: DevOptions, io: CliIo): Worker {
  const stopping = new AbortController();
  let opening: Promise<OpenPostgres> | null = null;
  let fail: (reason: unknown) => void;
  const failed = new Promise<unknown>((resolve) => (fail = resolve));
  void worker.failed.then((reason) => fail(reason));

  async function openDatabase(folder: string): Promise<OpenPostgres> {
    const { openPostgres, createTable } = loadSeeding();
    const database = await openPostgres({
      folder: join(folder, 'postgres'),
      env: io.env,
      cwd: io.cwd,
      progress: (line) => io.stderr.write(`${line}\n`),
      signal: stopping.signal,
    });
    try {
      await createTable(database);
    } catch (error) {
      await database.stop();
      throw error;
    }
    return database;
  }

  async function announce(database: OpenPostgres | null): Promise<void> {
    await worker.ready();
    const [url] = worker.urls;
    if (stopping.signal.aborted || url === undefined) return;
    const seeded = database && seed && (await registerSeed(url, database, seed));
    const next = seeded?.next ?? (await nextSteps(url));
    if (stopping.signal.aborted) return;
    const facts = {
      rest: worker.urls.join(', '),
      kafka: worker.bootstrapServers,
      postgres: database && `postgres://postgres@127.0.0.1:${database.port}/postgres`,
      data: seed?.dataDir ?? dataDir,
      next,
    };
    io.stdout.write(readyText(facts, format, paintOf(io)));
    if (!seeded || format === 'json') return;
    const { firstEvent } = loadSeeding();
    const event = await firstEvent(seeded.file, stopping.signal);
    io.stdout.write(`First event of topic ${seeded.topic} in ${seeded.file}: ${event.slice(0, 1000)}\n`);
  }

  async function registerSeed(url: string, database: OpenPostgres, { dataDir, isDefault }: NonNullable<typeof seed>) {
    const { registerConnectors } = loadSeeding();
    const own = ownCommand({
      script: process.argv[1] ?? '',
      cwd: io.cwd,
      path: io.env.PATH ?? '',
      realpath: (file) => realpathSync(file),
    });
    return await registerConnectors(url, database, dataDir, {
      millrace: own,
      dataOption: isDefault ? '' : ` --data-dir ${shellQuote(dataDir)}`,
    });
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
    failed,
    ready: async () => await worker.ready(),
    start: async () => {
      opening = seed && openDatabase(seed.dataDir);
      const [database] = await Promise.all([opening, worker.start()]);
      announce(database).catch((error: unknown) => {
        // Without --seed it fails only if the worker does, which reports that itself.
        if (seed && !stopping.signal.aborted) fail(error);
      });
    },
    // The database last: connectors confirm what they have read.
    stop: async () => {
      stopping.abort();
      try {
        await worker.stop();
      } finally {
        const database = await opening?.catch(() => null);
        await database?.stop();
      }
    },
  };
}

/** On demand: a worker without a database needs none of it. */
function loadSeeding(): typeof Opening & typeof Seeding {
  return {
    ...(require('./postgres/open-postgres') as typeof Opening),
    ...(require('./seed') as typeof Seeding),
  };
}
