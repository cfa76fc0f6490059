/**
 * `npm run demo`: streams the changes of a PostgreSQL table through Kafka into the lines of a file. Starts everything
 * it needs and removes it at the end. The worker hosts an embedded broker; `npm run demo -- --kafka` starts Apache
 * Kafka instead, which needs Java. Set BOOTSTRAP_SERVERS to use an existing cluster. With `--keep`, everything runs
 * until Ctrl-C.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonSync } from 'fs-extra';
import { Client } from 'pg';
import { givenCluster, startKafka } from '../services/kafka';
import { ROOT } from '../services/paths';
import { startPostgres } from '../services/postgres';
import { waitFor } from '../services/wait-for';
import { startWorker, type StartedWorker } from '../services/worker';
import { cleanUp, interrupted, runDemo, say, title } from './run-demo';

interface Document {
  name: string;
  config: Record<string, string>;
}
interface ChangeEvent {
  readonly op: string;
  readonly before: unknown;
  readonly after: unknown;
}

function example(name: string, changes: Record<string, string>): Document {
  const document = readJsonSync(join(ROOT, 'examples', name)) as Document;
  return { ...document, config: { ...document.config, ...changes } };
}

function curl(url: string, document: Document): string {
  const body = JSON.stringify(document, null, 2).replaceAll('\n', '\n  ');
  return `  curl -X POST -H 'Content-Type: application/json' ${url}/connectors -d '${body}'`;
}

/** The file's lines. The sink writes a tombstone as an empty line or `null`. */
function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}

/** The address of Apache Kafka if it was requested, otherwise `embedded`. */
async function chooseKafka(): Promise<string> {
  const kafka = givenCluster() ?? (process.argv.includes('--kafka') ? await startKafka() : null);
  if (!kafka) return 'embedded';
  cleanUp.push(kafka.stop);
  say(`  Kafka at ${kafka.bootstrapServers}`);
  return kafka.bootstrapServers;
}

async function startDatabase(): Promise<{ readonly url: string; readonly database: Client }> {
  const { url, stop } = await startPostgres();
  cleanUp.push(stop);
  const database = new Client({ connectionString: url });
  database.on('error', () => undefined);
  await database.connect();
  await database.query(readFileSync(join(ROOT, 'examples', 'todos.sql'), 'utf8'));
  say(`  ${url}: table public.todos with two rows (examples/todos.sql)`);
  return { url, database };
}

async function startDemoWorker(run: string): Promise<StartedWorker> {
  const bootstrapServers = await chooseKafka();
  const worker = await startWorker({
    bootstrapServers,
    group: `millrace-${run}`,
    settings: { 'offset.flush.interval.ms': '1000', ...(bootstrapServers === 'embedded' && { 'embedded.port': '0' }) },
  });
  cleanUp.push(() => worker.stop());
  await worker.ready();
  const broker = /Started an embedded broker on (\S+)/.exec(worker.process.log())?.[1];
  if (broker) say(`  an embedded Kafka broker on ${broker}, in the worker: bootstrap.servers=embedded`);
  say(`  a worker, with its console at ${worker.url}/ui: millrace start worker.properties`);
  return worker;
}

async function demo(): Promise<void> {
  title('Starting PostgreSQL, Kafka and a worker');
  const run = `demo-${randomBytes(3).toString('hex')}`;
  const [postgres, worker] = await Promise.all([startDatabase(), startDemoWorker(run)]);
  const { database } = postgres;

  const url = new URL(postgres.url);
  const file = join(worker.folder, 'todos.txt');
  const source = example('todos-source.json', {
    'database.hostname': url.hostname,
    'database.port': url.port,
    'topic.prefix': run,
  });
  const sink = example('todos-file-sink.json', { topics: `${run}.public.todos`, file });
  for (const document of [source, sink]) {
    title(`Registering ${document.name}`);
    say(curl(worker.url, document));
    await worker.register(document);
  }
  await Promise.all([source, sink].map(({ name }) => worker.running(name)));
  title('Both are RUNNING');

  let seen = 0;
  /**
   * Waits for the file's next lines and prints them. `ops` has one character per expected event; `-` is a tombstone.
   */
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
  if (process.argv.includes('--keep')) {
    title('Every event arrived. Everything runs until you press Ctrl-C');
    const stop = interrupted();
    keptText({ worker, postgres: postgres.url, topic: sink.config.topics as string, file, name: source.name });
    await stop;
    title('Stopping everything.');
  } else title('Every event arrived. Stopping everything; with `npm run demo -- --keep` it keeps running.');
}

interface Kept {
  readonly worker: StartedWorker;
  /** URL of the database. */
  readonly postgres: string;
  readonly topic: string;
  readonly file: string;
  /** Of the source connector. */
  readonly name: string;
}

/** Where everything is, the console first, and commands that work as they stand. */
function keptText({ worker, postgres, topic, file, name }: Kept): void {
  const { port, password } = new URL(postgres);
  const data = join(worker.folder, '.millrace');
  const isEmbedded = existsSync(join(data, 'broker.lock'));
  const kafka = isEmbedded ? `--data-dir ${data}` : `--config ${join(worker.folder, 'worker.properties')}`;
  const statement = `INSERT INTO todos (description) VALUES ('press Ctrl-C')`;
  // Where `millrace dev --sql` finds the database.
  mkdirSync(join(data, 'postgres'), { recursive: true });
  writeFileSync(join(data, 'postgres', 'server.json'), JSON.stringify({ port: Number(port), password }));
  say(`  Console:        ${worker.url}/ui`);
  say(`  Insert a row:   npx millrace dev --data-dir ${data} --sql "${statement}"`);
  say(`  See its event:  tail -n 1 ${file}`);
  say(`  Read the topic: npx millrace consume ${topic} ${kafka}`);
  say(`  Status:         npx millrace status --url ${worker.url}`);
  say(`  One connector:  curl ${worker.url}/connectors/${name}/status`);
  say(`  PostgreSQL:     ${postgres}`);
}

runDemo(demo);
