/**
 * The worker of `millrace dev`. When it is ready it prints one line: where console, REST, broker and data are, and
 * commands to begin with. With `seed` it has a PostgreSQL whose changes arrive in a file.
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
import {
  type Commands,
  type ExistingConnector,
  firstSteps,
  helloFile,
  type NextStep,
  ownCommand,
  readyText,
} from './ready-text';
import type * as Seeding from './seed';

const SHOWN_CONNECTORS = 10;

export interface DevOptions {
  /** Absolute path; null if the worker uses a Kafka cluster. */
  readonly dataDir: string | null;
  /** What further commands must pass to find this data; null: they find it. */
  readonly unusualDir: string | null;
  readonly consoleEnabled: boolean;
  readonly format: LogFormat;
  /** Absolute path of the folder of the database; null without `--seed`. */
  readonly seedDir: string | null;
}

export function createDevWorker(worker: Worker, options: DevOptions, io: CliIo): Worker {
  const { dataDir, unusualDir, consoleEnabled, format, seedDir } = options;
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
    const dataOption = unusualDir === null ? '' : ` --data-dir ${shellQuote(unusualDir)}`;
    const commands: Commands = { millrace: ownMillrace(io), dataOption };
    const seeded =
      database && seedDir !== null ? await loadSeeding().registerConnectors(url, database, seedDir, commands) : null;
    const next = seeded?.next ?? (await nextSteps(url, commands));
    if (stopping.signal.aborted) return;
    const facts = {
      console: consoleEnabled ? `${url}/ui` : null,
      rest: worker.urls.join(', '),
      kafka: worker.bootstrapServers,
      registry: worker.schemaRegistry ?? null,
      postgres: database && `postgres://postgres@127.0.0.1:${database.port}/postgres`,
      data: seedDir ?? dataDir,
      next,
    };
    io.stdout.write(readyText(facts, format, paintOf(io)));
    if (!seeded || format === 'json') return;
    const { firstEvent } = loadSeeding();
    const event = await firstEvent(seeded.file, stopping.signal);
    io.stdout.write(`First event of topic ${seeded.topic} in ${seeded.file}: ${event.slice(0, 1000)}\n`);
  }

  /** Empty for a worker that `curl` cannot reach without credentials or a certificate. */
  async function nextSteps(url: string, commands: Commands): Promise<readonly NextStep[]> {
    try {
      return firstSteps(url, await existingConnectors(url), dataDir && helloFile(dataDir), commands);
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
      opening = seedDir === null ? null : openDatabase(seedDir);
      const [database] = await Promise.all([opening, worker.start()]);
      announce(database).catch((error: unknown) => {
        // Without --seed it fails only if the worker does, which reports that itself.
        if (seedDir !== null && !stopping.signal.aborted) fail(error);
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

/** Of `GET /connectors/NAME/topics`. */
type ActiveTopics = Readonly<Record<string, { readonly topics: readonly string[] }>>;

/** With the topics of the first ones only: a worker may have thousands. */
async function existingConnectors(url: string): Promise<readonly ExistingConnector[]> {
  return await withRest(url, async (rest) => {
    const names = await rest.request<readonly string[]>('/connectors');
    const topics = async (name: string): Promise<ExistingConnector> => {
      const path = `/connectors/${encodeURIComponent(name)}/topics`;
      // 403: `topic.tracking.enable=false`; 404: it has just been deleted.
      const answer = await rest.request<ActiveTopics | undefined>(path, { accept: [403, 404] });
      return { name, topics: answer?.[name]?.topics ?? [] };
    };
    return await Promise.all(names.slice(0, SHOWN_CONNECTORS).map(topics));
  });
}

function ownMillrace({ cwd, env }: CliIo): string {
  const realpath = (file: string): string => realpathSync(file);
  return ownCommand({ script: process.argv[1] ?? '', cwd, path: env.PATH ?? '', realpath });
}

/** On demand: a worker without a database needs none of it. */
function loadSeeding(): typeof Opening & typeof Seeding {
  return {
    ...(require('./postgres/open-postgres') as typeof Opening),
    ...(require('./seed') as typeof Seeding),
  };
}
