/**
 * `npm run demo:analytics`: streams the lines of a CSV file through Kafka into rows of an analytics database. Starts
 * the database's emulator and a worker with an embedded broker, and removes everything at the end. Needs only Node.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startAnalyticsEmulator } from '../analytics-emulator';
import { ROOT } from '../services/paths';
import { waitFor } from '../services/wait-for';
import { startWorker, type StartedWorker } from '../services/worker';
import { cleanUp, runDemo, say, title } from './run-demo';

/** Short, so that the second file is soon ingested; examples/analytics-sink.json has 50 s. */
const INTERVAL_MS = 6_000;
const TABLE =
  'StormEvents (StartTime:datetime, EndTime:datetime, EventId:int, State:string, EventType:string, Source:string)';
const MAPPING = ['StartTime', 'EndTime', 'EventId', 'State', 'EventType', 'Source'].map((Column, Ordinal) => ({
  Column,
  Properties: { Ordinal: String(Ordinal) },
}));

type Row = readonly unknown[];
interface Document {
  readonly name: string;
  readonly config: Record<string, string>;
}

/** Queries the cluster, with the sink's login. */
class Analyst {
  private constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  static async login(url: string, tenant: string, id: string, secret: string): Promise<Analyst> {
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret, scope: `${url}/.default` };
    const answer = await fetch(`${url}/${tenant}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    if (!answer.ok) throw new Error(`login failed: ${await answer.text()}`);
    return new Analyst(url, ((await answer.json()) as { access_token: string }).access_token);
  }

  command(csl: string): Promise<Row[]> {
    return this.ask('/v1/rest/mgmt', csl);
  }
  query(csl: string): Promise<Row[]> {
    return this.ask('/v1/rest/query', csl);
  }

  private async ask(path: string, csl: string): Promise<Row[]> {
    const answer = await fetch(this.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ db: 'demo', csl }),
    });
    const body = (await answer.json()) as { Tables?: { Rows: Row[] }[]; error?: { message: string } };
    if (!body.Tables) throw new Error(`${csl}: ${body.error?.message ?? answer.status}`);
    return body.Tables[0]?.Rows ?? [];
  }
}

/** The registration document of the README, for this cluster. */
function sinkDocument(url: string, tenant: string, id: string, secret: string): Document {
  const text = readFileSync(join(ROOT, 'examples', 'analytics-sink.json'), 'utf8')
    .replace('<TENANT_ID>', tenant)
    .replace('<APP_ID>', id)
    .replace('<CLIENT_SECRET>', secret)
    .replace('https://ingest-<cluster>.<region>.<domain>', url);
  const document = JSON.parse(text) as Document;
  return { ...document, config: { ...document.config, 'flush.interval.ms': String(INTERVAL_MS) } };
}

/** Runs `millrace produce` in the worker's folder, whose worker.properties has the broker's address. */
async function produce(worker: StartedWorker, file: string): Promise<void> {
  const args = ['produce', file, '--topic', 'storm-events', '--config', 'worker.properties'];
  say(`  millrace ${args.join(' ')}`);
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'main.js'), ...args], {
    cwd: worker.folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let reported = '';
  let said = '';
  child.stdout.on('data', (chunk) => (reported += String(chunk)));
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const lines = reported.trimEnd().split('\n');
  const shown = lines.length > 4 ? [...lines.slice(0, 2), '…', ...lines.slice(-1)] : lines;
  for (const line of [...shown, said.trimEnd()]) say(`  ${line}`);
  if (code !== 0) throw new Error(`millrace produce exited with code ${String(code)}`);
}

async function demo(): Promise<void> {
  title('Starting the emulator of an analytics cluster, and a worker with its embedded Kafka broker');
  const [tenant, id, secret] = ['demo-tenant', 'demo-app', randomBytes(12).toString('hex')];
  const emulator = await startAnalyticsEmulator({ database: 'demo', application: { tenant, id, secret } });
  cleanUp.push(() => emulator.stop());
  say(`  a cluster at ${emulator.url}: Azurite keeps its blobs and queues, DuckDB its tables`);
  const worker = await startWorker({
    bootstrapServers: 'embedded',
    group: 'demo-analytics',
    settings: { 'offset.flush.interval.ms': '1000', 'embedded.port': '0' },
  });
  cleanUp.push(() => worker.stop());
  await worker.ready();
  say(`  a worker at ${worker.url}: millrace start worker.properties`);

  title('Creating the table and its ingestion mapping');
  const analyst = await Analyst.login(emulator.url, tenant, id, secret);
  for (const command of [
    `.create table ${TABLE}`,
    `.create table StormEvents ingestion csv mapping 'storm_csv' '${JSON.stringify(MAPPING)}'`,
  ]) {
    say(`  ${command}`);
    await analyst.command(command);
  }

  title('Producing a CSV file, one message per line');
  copyFileSync(join(ROOT, 'examples', 'storm-events.csv'), join(worker.folder, 'storm-events.csv'));
  await produce(worker, 'storm-events.csv');
  const produced = readFileSync(join(worker.folder, 'storm-events.csv'), 'utf8').trimEnd().split('\n').length;

  const document = sinkDocument(emulator.url, tenant, id, secret);
  title(`Registering ${document.name}`);
  const shown = { ...document, config: { ...document.config, 'idp.auth.appkey': '…' } };
  const body = JSON.stringify(shown, null, 2).replaceAll('\n', '\n  ');
  say(`  curl -X POST -H 'Content-Type: application/json' ${worker.url}/connectors -d '${body}'`);
  await worker.register(document);
  await worker.running(document.name);

  const count = async (): Promise<number> => Number((await analyst.query('StormEvents | count'))[0]?.[0]);
  /** Waits until the table has more than `rows` rows, and returns the count. */
  const moreThan = async (rows: number): Promise<number> =>
    await waitFor(
      `more than ${rows} rows in the table`,
      async () => {
        const now = await count();
        return now > rows && now;
      },
      { timeoutMs: 60_000, detail: () => worker.process.log().slice(-4000) },
    );

  const bySize = await moreThan(0);
  title(`${bySize} rows: the first file had its ${document.config['flush.size.bytes']} bytes and was ingested`);
  const all = bySize < produced ? await moreThan(bySize) : bySize;
  title(`${all} rows: the rest was ingested when its ${INTERVAL_MS / 1000} s were over, without another message`);
  if (all !== produced) throw new Error(`${produced} lines became ${all} rows`);

  const question = 'StormEvents | summarize count() by EventType | order by count_ desc | take 3';
  title(question);
  for (const [type, events] of await analyst.query(question)) say(`  ${String(type).padEnd(20)}${String(events)}`);

  title('Producing a line that is not a storm event: the service rejects its file and reports the failure later');
  writeFileSync(
    join(worker.folder, 'broken.csv'),
    '2024-03-02 10:00:00,2024-03-02 11:00:00,60001,HALDEN,Hail,Public\nnot a storm\n',
  );
  await produce(worker, 'broken.csv');
  const failures = '.show ingestion failures | project Table, ErrorCode, Details, IngestionSourcePath';
  const [failure] = await waitFor(
    'the failure of the broken file',
    async () => {
      const rows = await analyst.command(failures);
      return rows.length > 0 && rows;
    },
    { timeoutMs: 60_000, detail: () => worker.process.log().slice(-4000) },
  );
  title(failures);
  for (const value of failure ?? []) say(`  ${String(value)}`);
  if ((await count()) !== produced) throw new Error('a row of the refused file is in the table');
  say(
    `  ${produced} rows, as before: of a file all rows are taken or none. With "analytics.ingest.confirm": "true" the sink waits for this outcome.`,
  );

  title(`curl ${worker.url}/connectors/storms/status`);
  say(`  ${(await worker.request('GET', '/connectors/storms/status')).body}`);
  title('Every row is accounted for. Stopping everything.');
}

runDemo(demo);
