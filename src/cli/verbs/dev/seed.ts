/** `millrace dev --seed`: a database with a table, and the demo's connectors, which write its changes into a file. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { withRest } from '@millrace/cli/rest';
import { shellQuote } from '@millrace/cli/terminal';
import { sleep } from '@millrace/sdk';
import { withDatabase } from './postgres/database';
import type { OpenPostgres } from './postgres/open-postgres';
import type { Commands, NextStep } from './ready-text';

/** Beside `dist`, in the repository and in the package. */
const EXAMPLES = join(__dirname, '..', '..', '..', '..', 'examples');
const LOOK_MS = 50;

interface ConnectorDocument {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

export interface Seed {
  /** The file with the events, one a line. */
  readonly file: string;
  readonly topic: string;
  readonly next: readonly NextStep[];
}

/** Held while the table is created: two workers with --seed may start at the same time. Any number will do. */
const LOCK = 736_483;

/** Creates the table with its rows, unless it exists. */
export async function createTable({ url }: Pick<OpenPostgres, 'url'>): Promise<void> {
  const script = await readFile(join(EXAMPLES, 'todos.sql'), 'utf8');
  await withDatabase(url, async (client) => {
    // Released when the connection ends.
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const { rows } = await client.query<{ found: string | null }>(`SELECT to_regclass('public.todos') AS found`);
    // Several statements in one query are one transaction.
    if (rows[0]?.found == null) await client.query(script);
  });
}

/** Registers the connectors; those that exist are left as they are. */
export async function registerConnectors(
  url: string,
  { port, password }: Pick<OpenPostgres, 'port' | 'password'>,
  dataDir: string,
  commands: Commands,
): Promise<Seed> {
  const source = await example('todos-source.json', {
    'database.hostname': '127.0.0.1',
    'database.port': String(port),
    'database.user': 'postgres',
    'database.password': password,
    'database.dbname': 'postgres',
  });
  const sink = await example('todos-file-sink.json', { file: join(dataDir, 'todos.txt') });
  let { file = '', topics: topic = '' } = sink.config;
  await withRest(url, async (rest) => {
    for (const document of [source, sink]) {
      const path = `/connectors/${document.name}`;
      const existing = await rest.request<ConnectorDocument | undefined>(path, { accept: [404] });
      // Another worker with --seed may register it at the same time.
      if (!existing) await rest.request('/connectors', { method: 'POST', body: document, accept: [409] });
      else if (document === sink) ({ file = file, topics: topic = topic } = existing.config);
    }
  });
  return { file, topic, next: nextSteps(url, { file, topic, source: source.name }, commands) };
}

/** Pure. */
export function nextSteps(
  url: string,
  { file, topic, source }: { readonly file: string; readonly topic: string; readonly source: string },
  { millrace, dataOption }: Commands,
): readonly NextStep[] {
  const statement = `INSERT INTO todos (description) VALUES ('show Millrace to a friend')`;
  return [
    { purpose: 'Insert a row', command: `${millrace} dev${dataOption} --sql "${statement}"` },
    { purpose: 'See its event', command: `tail -n 1 ${shellQuote(file)}` },
    { purpose: 'Read the topic', command: `${millrace} consume ${topic}${dataOption}` },
    { purpose: 'Status', command: `curl ${url}/connectors/${source}/status` },
  ];
}

/** Resolves with the first line of the file; rejects when aborted. */
export async function firstEvent(file: string, signal: AbortSignal): Promise<string> {
  for (;;) {
    const line = await firstLine(file).catch(() => null);
    if (line !== null) return line;
    signal.throwIfAborted();
    await sleep(LOOK_MS, signal);
  }
}

async function firstLine(file: string): Promise<string | null> {
  const input = createReadStream(file, { encoding: 'utf8', end: 64 * 1024 });
  try {
    for await (const line of createInterface({ input })) return line;
    return null;
  } finally {
    input.destroy();
  }
}

async function example(name: string, changes: Readonly<Record<string, string>>): Promise<ConnectorDocument> {
  const document = JSON.parse(await readFile(join(EXAMPLES, name), 'utf8')) as ConnectorDocument;
  return { ...document, config: { ...document.config, ...changes } };
}
