/** `millrace get`: lists of what a cluster has. */
import { ConnectError } from '@millrace/sdk';
import {
  type Connector,
  errorsPerSecond,
  readConnectorHealth,
  readConnectors,
  runningTasks,
} from '../connectors/connectors';
import { byName, selectNamed } from '../connectors/name-pattern';
import { classNamed, readPlugins, runsInText } from '../connectors/plugins';
import { readWorkerHealth } from '../connectors/worker-health';
import { exactJsonText, writeAnswer } from '../output/answer';
import { paintHealth, paintOf, paintState } from '../output/colours';
import { membersText, noteText, rateText, tableText } from '../output/layout';
import type { Invocation, VerbSpec } from '../program/command-spec';
import { CONNECTOR_NAMES } from '../program/shared-options';
import { sideBySide, withClient, workerClients } from '../rest/clients';
import type { ConnectClient } from '../rest/connect-client';
import { listOf, objectOf, path, textOf } from '../rest/reply';

const shared = ['output', 'server'] as const;

export const command: VerbSpec = {
  name: 'get',
  examples: [
    { command: 'get connectors', explanation: 'Connectors with their states and tasks' },
    { command: "get connectors 'orders-*' -o json", explanation: 'Those that match, for a program' },
  ],
  subcommands: [
    {
      name: 'connectors',
      summary: 'list connectors with their states, health and tasks',
      arguments: [CONNECTOR_NAMES],
      shared,
      examples: [{ command: 'get connectors', explanation: 'All connectors; TASKS counts the running ones of all' }],
      run: getConnectors,
    },
    {
      name: 'plugins',
      summary: 'list the plugins that are installed on the worker that answers',
      arguments: [
        {
          name: '[classes...]',
          description: 'classes or their last parts, or patterns (default: all)',
          completes: 'plugins',
        },
      ],
      options: [
        {
          flags: '--type <type>',
          description: 'only plugins of this type',
          choices: ['source', 'sink', 'converter', 'header_converter', 'transformation', 'predicate'],
        },
      ],
      shared,
      examples: [{ command: 'get plugins --type sink', explanation: 'Connectors that can write records elsewhere' }],
      run: getPlugins,
    },
    {
      name: 'schema',
      summary: "print the JSON Schema of a plugin's config, for editors",
      description:
        "Print the JSON Schema of a plugin's config, with which editors complete and check connector documents. Only workers of Millrace have it.",
      arguments: [{ name: '<class>', description: 'class, or its last part', completes: 'plugins' }],
      shared: ['server'],
      examples: [
        { command: 'get schema FileStreamSource > file-source.schema.json', explanation: 'A file for an editor' },
      ],
      run: getSchema,
    },
    {
      name: 'offsets',
      summary: 'list the offsets of connectors',
      arguments: [CONNECTOR_NAMES],
      shared,
      examples: [{ command: 'get offsets orders', explanation: 'How far a connector has read' }],
      run: getOffsets,
    },
    {
      name: 'workers',
      summary: 'list the workers that run connectors or tasks',
      description:
        'List the workers that run connectors or tasks, and the workers of the URL. Connect has no list of a group: a worker without work appears only if its URL is given. Versions and health are those of the workers of the URL.',
      shared,
      examples: [{ command: 'get workers', explanation: 'Workers with the number of their connectors and tasks' }],
      run: getWorkers,
    },
    {
      name: 'loggers',
      summary: 'list the log levels of the worker that answers',
      arguments: [{ name: '[names...]', description: 'loggers, or patterns (default: all)', completes: 'loggers' }],
      shared,
      examples: [{ command: 'get loggers', explanation: 'Loggers whose level is set' }],
      run: getLoggers,
    },
    {
      name: 'topics',
      summary: 'list the topics that connectors have used',
      arguments: [CONNECTOR_NAMES],
      shared,
      examples: [{ command: 'get topics orders', explanation: 'Topics that a connector has read or written' }],
      run: getTopics,
    },
  ],
};

async function getConnectors(invocation: Invocation): Promise<number> {
  const all = await withClient(invocation, readConnectorHealth);
  const connectors = selectNamed(all, invocation.args, 'connector', ({ name }) => name);
  const paint = paintOf(invocation.io);
  writeAnswer(
    invocation,
    connectors.map(({ name, type, class: className, status: { state, worker, tasks }, health }) => ({
      name,
      type,
      class: className,
      state,
      health: health?.summary ?? null,
      reasons: health?.reasons ?? [],
      worker,
      tasks: tasks.map((task) => ({ id: task.id, state: task.state, worker: task.worker })),
    })),
    () => ({
      headings: ['NAME', 'TYPE', 'STATE', 'HEALTH', 'TASKS', 'ERRORS/S', 'WORKER', 'CLASS'],
      rows: connectors.map((connector) => [
        connector.name,
        connector.type,
        paintState(paint, connector.status.state),
        paintHealth(paint, connector.health),
        runningTasks(connector.status),
        rateText(errorsPerSecond(connector)),
        connector.status.worker,
        connector.class,
      ]),
      optional: ['CLASS', 'WORKER', 'TYPE', 'ERRORS/S', 'TASKS'],
    }),
  );
  return 0;
}

async function getPlugins(invocation: Invocation): Promise<number> {
  const { type } = invocation.options as { type?: string };
  const all = await withClient(invocation, readPlugins);
  const patterns = invocation.args.map((text) => classNamed(all, text));
  const plugins = selectNamed(all, patterns, 'plugin', (plugin) => plugin.class).filter(
    (plugin) => type === undefined || plugin.type === type,
  );
  // Workers of Java do not tell where they are.
  const isPlaced = plugins.some(({ location }) => location !== undefined);
  writeAnswer(invocation, plugins, () => ({
    headings: ['CLASS', 'TYPE', 'VERSION', ...(isPlaced ? ['RUNS IN', 'LOCATION'] : [])],
    rows: plugins.map((plugin) => [
      ...[plugin.class, plugin.type, plugin.version],
      ...(isPlaced ? [runsInText(plugin.runsIn), plugin.location ?? ''] : []),
    ]),
    optional: ['LOCATION', 'TYPE', 'RUNS IN'],
  }));
  return 0;
}

async function getSchema(invocation: Invocation): Promise<number> {
  const { io, args } = invocation;
  const schema = await withClient(invocation, (client) => readSchema(client, args[0] as string));
  io.stdout.write(`${exactJsonText(schema)}\n`);
  return 0;
}

async function readSchema(client: ConnectClient, text: string): Promise<unknown> {
  const plugins = await readPlugins(client);
  const name = classNamed(plugins, text);
  try {
    return await client.request(path`/connector-plugins/${name}/schema`);
  } catch (error) {
    const isMissing = error instanceof ConnectError && error.code === 'REST_NOT_FOUND';
    if (!isMissing) throw error;
    const isInstalled = plugins.some((plugin) => plugin.class === name);
    throw new ConnectError(
      isInstalled
        ? `${client.address} has no JSON Schemas: only workers of Millrace have them.`
        : `There is no plugin "${text}" on ${client.address}; see "millrace get plugins".`,
      { code: 'REST_NOT_FOUND', cause: error },
    );
  }
}

async function getOffsets(invocation: Invocation): Promise<number> {
  const lists = await withClient(invocation, async (client) => {
    const connectors = selectNamed(await readConnectors(client), invocation.args, 'connector', ({ name }) => name);
    return await sideBySide(connectors, async ({ name }) => {
      const at = path`/connectors/${name}/offsets`;
      const { offsets } = objectOf(await client.request(at, { exact: true }), `GET ${at}`);
      return { name, offsets: listOf(offsets, `GET ${at}`).map((entry) => objectOf(entry, `GET ${at}`)) };
    });
  });
  writeAnswer(invocation, lists, () => ({
    headings: ['CONNECTOR', 'PARTITION', 'OFFSET'],
    rows: lists.flatMap(({ name, offsets }) =>
      offsets.map(({ partition, offset }) => [name, membersText(partition), membersText(offset)]),
    ),
  }));
  return 0;
}

const LOGGERS = '/admin/loggers';
/** The latest time that a Date can have. */
const LATEST_MS = 8.64e15;

async function getLoggers(invocation: Invocation): Promise<number> {
  const reply = await withClient(invocation, (client) => client.request(LOGGERS));
  const all = Object.entries(objectOf(reply, `GET ${LOGGERS}`))
    .map(([name, entry]) => ({ name, ...objectOf(entry, `GET ${LOGGERS}`) }))
    .map(({ name, ...entry }: { name: string; level?: unknown; last_modified?: unknown }) => ({
      name,
      level: textOf(entry.level),
      changed: timeOf(entry.last_modified),
    }))
    .sort(byName(({ name }) => name));
  const loggers = selectNamed(all, invocation.args, 'logger', ({ name }) => name);
  writeAnswer(invocation, loggers, () => ({
    headings: ['NAME', 'LEVEL', 'CHANGED'],
    rows: loggers.map(({ name, level, changed }) => [name, level, changed ?? '']),
  }));
  return 0;
}

function timeOf(value: unknown): string | null {
  return typeof value === 'number' && Math.abs(value) <= LATEST_MS ? new Date(value).toISOString() : null;
}

async function getTopics(invocation: Invocation): Promise<number> {
  const lists = await withClient(invocation, async (client) => {
    const connectors = selectNamed(await readConnectors(client), invocation.args, 'connector', ({ name }) => name);
    return await sideBySide(connectors, async ({ name }) => {
      const at = path`/connectors/${name}/topics`;
      const { topics } = objectOf(objectOf(await client.request(at), `GET ${at}`)[name], `GET ${at}`);
      return { name, topics: listOf(topics, `GET ${at}`).map(textOf).sort() };
    });
  });
  writeAnswer(invocation, lists, () => ({
    headings: ['CONNECTOR', 'TOPIC'],
    rows: lists.flatMap(({ name, topics }) => topics.map((topic) => [name, topic])),
  }));
  return 0;
}

interface Identity {
  /** Of Kafka Connect. */
  readonly version: string;
  /** Millrace's own; empty for other workers, such as Java's. */
  readonly millrace: string;
  /** Id of the Kafka cluster. */
  readonly cluster: string;
  /** `healthy`, `starting`, `unhealthy` or `unknown`; empty if the worker does not report it. */
  readonly health: string;
  /** Why it is not healthy, or did not answer. */
  readonly problem?: string;
}

const UNKNOWN: Identity = { version: '', millrace: '', cluster: '', health: '' };
/** What Millrace's workers have instead of Kafka's commit. */
const MILLRACE = /^millrace-(.+)$/;

async function getWorkers(invocation: Invocation): Promise<number> {
  const connectors = await withClient(invocation, readConnectors);
  const counted = countWork(connectors);
  const known = new Map([...counted.keys()].map((worker) => [placeOf(worker), worker]));
  const identities = new Map(
    await sideBySide(workerClients(invocation), async (client) => {
      const host = hostOf(client);
      return [known.get(placeOf(host)) ?? host, await identityOf(client)] as const;
    }),
  );
  for (const worker of identities.keys())
    if (!counted.has(worker)) counted.set(worker, { connectors: 0, tasks: 0, failed: 0 });
  const workers = [...counted]
    .map(([worker, count]) => ({ worker, ...count, ...(identities.get(worker) ?? UNKNOWN) }))
    .sort(byName(({ worker }) => worker));
  const { columns } = invocation.io.stdout;
  writeAnswer(invocation, workers, () => workersText(workers, columns));
  return 0;
}

interface WorkerRow extends Work, Identity {
  readonly worker: string;
}

const HEADINGS = ['WORKER', 'CONNECTORS', 'TASKS', 'FAILED', 'VERSION', 'MILLRACE', 'KAFKA CLUSTER', 'HEALTH'];
const OPTIONAL = ['KAFKA CLUSTER', 'VERSION', 'CONNECTORS', 'MILLRACE'];

/** A table, and why workers are not healthy. @param columns width of the terminal; 0 or undefined if unknown */
function workersText(workers: readonly WorkerRow[], columns?: number): string {
  const rows = workers.map((one) => [
    one.worker,
    String(one.connectors),
    String(one.tasks),
    String(one.failed),
    one.version,
    one.millrace,
    one.cluster,
    one.health,
  ]);
  const problems = workers.flatMap(({ worker, problem }) => (problem ? [`${worker}: ${problem}`] : []));
  return [
    tableText(HEADINGS, rows, { columns, optional: OPTIONAL }),
    ...problems.map((text) => `\n${noteText(text, columns)}`),
  ].join('');
}

interface Work {
  connectors: number;
  tasks: number;
  failed: number;
}

function countWork(connectors: readonly Connector[]): Map<string, Work> {
  const counted = new Map<string, Work>();
  const add = (worker: string, kind: 'connectors' | 'tasks', state: string): void => {
    if (worker === '') return;
    const work = counted.get(worker) ?? { connectors: 0, tasks: 0, failed: 0 };
    work[kind]++;
    if (state === 'FAILED') work.failed++;
    counted.set(worker, work);
  };
  for (const { status } of connectors) {
    add(status.worker, 'connectors', status.state);
    for (const { worker, state } of status.tasks) add(worker, 'tasks', state);
  }
  return counted;
}

/** The same for all names of this machine itself, so that a worker is not listed twice. */
function placeOf(worker: string): string {
  return worker.replace(/^(?:127\.0\.0\.1|\[::1\])(?=:\d+$)/, 'localhost');
}

function hostOf({ address }: ConnectClient): string {
  return new URL(address).host;
}

async function identityOf(client: ConnectClient): Promise<Identity> {
  try {
    const { version, commit, kafka_cluster_id: cluster } = objectOf(await client.request('/'), 'GET /');
    const [, millrace = ''] = MILLRACE.exec(textOf(commit)) ?? [];
    const identity = { version: textOf(version), millrace, cluster: textOf(cluster) };
    const { status: health, problem } = await readWorkerHealth(client);
    return { ...identity, health, ...(problem !== undefined && { problem }) };
  } catch (error) {
    return { ...UNKNOWN, health: 'unknown', problem: (error as Error).message };
  } finally {
    client.close();
  }
}
