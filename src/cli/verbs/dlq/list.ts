/** `millrace dlq list`: the dead letter topics that connectors name, and how many records they have. */
import type { Invocation } from '@millrace/cli';
import { writeAnswer } from '@millrace/cli/answers';
import { withClient } from '@millrace/cli/rest';
import type { Admin } from '@millrace/kafka-client';
import { builtInPlugins } from '../../../built-in-plugins';
import { ConnectorPlugins } from '../../../cluster/running/connector-plugins';
import { deadLetterTopics } from '../../../config/dead-letter-topics';
import { silentLogger } from '../../../logging/logger';
import { createPluginRegistry } from '../../../plugins/create-registry';
import { openCluster } from '../../kafka/open-cluster';
import { clusterSetup } from '../../worker/command-config';
import type { WorkerSetup } from '../../worker/read-config';

type Connectors = Readonly<Record<string, { readonly info?: { readonly config?: Readonly<Record<string, string>> } }>>;

export async function run(invocation: Invocation): Promise<number> {
  const connectors = await withClient(invocation, (client) => client.request<Connectors>('/connectors?expand=info'));
  const setup = await clusterSetup(invocation);
  const { pluginPath } = setup.config;
  const registry = createPluginRegistry({ pluginPath, builtIns: builtInPlugins, logger: silentLogger });
  await registry.discover();
  const plugins = new ConnectorPlugins(registry);
  const named = Object.entries(connectors)
    .flatMap(([connector, { info: { config = {} } = {} }]) =>
      deadLetterTopics(config, plugins.describe(config)?.deadLetters).map(({ topic }) => ({ connector, topic })),
    )
    .sort((a, b) => (a.connector < b.connector ? -1 : 1));
  if (named.length === 0) invocation.io.stderr.write('No connector names a dead letter topic.\n');
  const counts = named.length === 0 ? new Map<string, number>() : await countsOf(invocation, setup, named);
  const list = named.map((entry) => ({ ...entry, records: counts.get(entry.topic) ?? null }));
  writeAnswer(invocation, list, () => ({
    headings: ['CONNECTOR', 'TOPIC', 'RECORDS'],
    rows: list.map(({ connector, topic, records }) => [
      connector,
      topic,
      records === null ? 'no topic' : String(records),
    ]),
  }));
  return 0;
}

/** By topic; topics that do not exist are absent. */
async function countsOf(
  { io }: Invocation,
  setup: WorkerSetup,
  named: readonly { readonly topic: string }[],
): Promise<Map<string, number>> {
  const cluster = await openCluster(setup, io, 'dlq');
  const admin = cluster.clients.admin(cluster.settings('admin'));
  try {
    const topics = await admin.describeTopics([...new Set(named.map(({ topic }) => topic))]);
    const counts = await Promise.all(
      topics.map(async ({ name, partitions }) => [name, await countOf(admin, name, partitions)] as const),
    );
    return new Map(counts);
  } finally {
    await admin.close();
  }
}

async function countOf(admin: Admin, topic: string, partitions: readonly { partition: number }[]): Promise<number> {
  const all = partitions.map(({ partition }) => ({ topic, partition }));
  const [first, end] = await Promise.all([admin.listOffsets(all, 'earliest'), admin.listOffsets(all, 'latest')]);
  const sum = (list: typeof first): number => list.reduce((total, { offset }) => total + offset, 0);
  return sum(end) - sum(first);
}
