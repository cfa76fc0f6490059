/**
 * `npm run demo`: rows of a PostgreSQL table become lines of a file, through Kafka, while you watch. Starts everything
 * itself (or uses the Kafka that BOOTSTRAP_SERVERS names) and leaves nothing behind.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { useOrStartKafka } from './services/kafka';
import { ROOT } from './services/paths';
import { startPostgres } from './services/postgres';
import { waitFor } from './services/wait-for';
import { startWorker } from './services/worker';

interface Document {
  name: string;
  config: Record<string, string>;
}
interface ChangeEvent {
  readonly op: string;
  readonly before: unknown;
  readonly after: unknown;
}

const began = Date.now();
const cleanUp: (() => Promise<unknown>)[] = [];

function say(text = ''): void {
  console.log(text);
}
function title(text: string): void {
  say(`\n[${((Date.now() - began) / 1000).toFixed(1).padStart(5)} s] ${text}`);
}

function example(name: string, changes: Record<string, string>): Document {
  const document = JSON.parse(readFileSync(join(ROOT, 'examples', name), 'utf8')) as Document;
  return { ...document, config: { ...document.config, ...changes } };
}

function curl(url: string, document: Document): string {
  const body = JSON.stringify(document, null, 2).replaceAll('\n', '\n  ');
  return `  curl -X POST -H 'Content-Type: application/json' ${url}/connectors -d '${body}'`;
}

/** The file's lines; the sink writes a deleted row's tombstone as an empty line or `null`. */
function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}

async function demo(): Promise<void> {
  title('Starting PostgreSQL and Kafka');
  const [postgres, kafka] = await Promise.all([
    startPostgres().then((service) => (cleanUp.push(service.stop), service)),
    useOrStartKafka().then((service) => (cleanUp.push(service.stop), service)),
  ]);
  say(`  ${postgres.url}\n  Kafka at ${kafka.bootstrapServers}`);
  const database = new Client({ connectionString: postgres.url });
  database.on('error', () => undefined);
  await database.connect();
  await database.query(readFileSync(join(ROOT, 'examples', 'todos.sql'), 'utf8'));
  say('  table public.todos with two rows (examples/todos.sql)');

  title('Starting a worker: millrace start worker.properties');
  const run = `demo-${randomBytes(3).toString('hex')}`;
  const worker = await startWorker({
    bootstrapServers: kafka.bootstrapServers,
    group: `millrace-${run}`,
    settings: { 'offset.flush.interval.ms': '1000' },
  });
  cleanUp.push(() => worker.stop());
  await worker.ready();
  say(`  ready: ${worker.url}`);

  const url = new URL(postgres.url);
  const file = join(worker.folder, 'todos.txt');
  const source = example('todos-source.json', {
    'database.hostname': url.hostname,
    'database.port': url.port,
    'database.server.name': run,
  });
  const sink = example('todos-file-sink.json', { topics: `${run}.public.todos`, file });
  for (const document of [source, sink]) {
    title(`Registering ${document.name}`);
    say(curl(worker.url, document));
    await worker.register(document);
    await worker.running(document.name);
    say(`  ${document.name} is RUNNING`);
  }

  let seen = 0;
  /** Waits for the file's next lines and shows them; `ops` are their operations, `-` a tombstone. */
  async function expectEvents(ops: string): Promise<void> {
    const lines = await waitFor(
      `${ops.length} more lines in the file (it has ${seen})`,
      () => (linesOf(file).length >= seen + ops.length ? linesOf(file).slice(seen) : null),
      { timeoutMs: 60_000, detail: () => worker.process.log().slice(-4000) },
    );
    seen += lines.length;
    const found = lines.map((line) => {
      const event = line === '' ? null : (JSON.parse(line) as ChangeEvent | null);
      if (seen === lines.length && line === lines[0]) say(`  in full: ${line}`);
      if (event === null) say('  (tombstone)');
      else say(`  op ${event.op}  before ${JSON.stringify(event.before)}  after ${JSON.stringify(event.after)}`);
      return event?.op ?? '-';
    });
    if (found.join('') !== ops) throw new Error(`expected the operations ${ops}, the file has ${found.join('')}`);
  }

  title(`The rows that were there, from ${file}`);
  await expectEvents('rr');
  const statements: [string, string][] = [
    [`INSERT INTO todos (description) VALUES ('show Millrace to a friend')`, 'c'],
    [`UPDATE todos SET done = true WHERE id = 3`, 'u'],
    [`DELETE FROM todos WHERE id = 1`, 'd-'],
  ];
  for (const [statement, ops] of statements) {
    title(statement);
    await database.query(statement);
    await expectEvents(ops);
  }

  for (const { name } of [source, sink]) {
    title(`curl ${worker.url}/connectors/${name}/status`);
    say(`  ${(await worker.request('GET', `/connectors/${name}/status`)).body}`);
  }
  await database.end();
}

demo()
  .then(() => title('Every event arrived. Stopping everything.'))
  .catch((error: Error) => {
    process.exitCode = 1;
    console.error(`\nThe demo failed: ${error.message}`);
  })
  .finally(async () => {
    for (const stop of cleanUp.reverse()) await stop().catch((error: Error) => console.error(error.message));
  });
