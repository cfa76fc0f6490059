/** Which connectors write to which topics and read from them, from configs and the topics that tasks have used. */
import type { Topology, TopologyConnector } from '@millrace/console';
import { deadLetterTopics } from '../../config/dead-letter-topics';
import type { ConnectorRecord } from '../../cluster/entities';
import { ConnectorPlugins } from '../../cluster/running/connector-plugins';
import { SharedText } from '../http/shared-text';
import { encodeJson } from '../json/encode';
import type { ConsoleRoute } from '../requests/route';
import type { ConsoleContext } from './console-context';

const MOST_CONNECTORS = 5_000;
/** Of one connector. */
const MOST_TOPICS = 200;
/** Of all. */
const MOST_LINKS = 20_000;

export interface TopologySources {
  /** That the tasks of a connector have used. */
  readonly activeTopics: (connector: string) => readonly string[];
  readonly deadLettersOf: (record: ConnectorRecord) => readonly string[];
  readonly tracksTopics: boolean;
}

/** Pure. No expression is matched: of `topics.regex`, the topics that were read are known. */
export function topologyOf(records: readonly ConnectorRecord[], sources: TopologySources): Omit<Topology, 'at'> {
  let links = 0;
  const connectors = records.slice(0, MOST_CONNECTORS).map((record) => {
    const found = connectorOf(record, sources, Math.min(MOST_TOPICS, MOST_LINKS - links));
    links += found.writes.length + found.reads.length + found.deadLetters.length;
    return found;
  });
  return {
    tracksTopics: sources.tracksTopics,
    connectors,
    omitted: records.length - connectors.length,
  };
}

function connectorOf(record: ConnectorRecord, sources: TopologySources, most: number): TopologyConnector {
  const { name, type, config } = record;
  const active = sources.activeTopics(name);
  const deadLetters = sources.deadLettersOf(record);
  const subscribed = (config['topics'] ?? '')
    .split(',')
    .map((topic) => topic.trim())
    .filter(Boolean);
  const isSink = type === 'sink' || subscribed.length > 0 || config['topics.regex'] !== undefined;
  const reads = isSink ? [...new Set([...subscribed, ...active])] : [];
  const writes = isSink ? [] : active;
  return {
    name,
    pattern: config['topics.regex'] ?? null,
    writes: writes.slice(0, most),
    reads: reads.slice(0, most),
    deadLetters: deadLetters.slice(0, most),
    omitted: Math.max(0, Math.max(writes.length, reads.length) - most),
  };
}

export function topologyRoutes(context: ConsoleContext): readonly ConsoleRoute[] {
  const plugins = new ConnectorPlugins(context.registry);
  return [
    {
      ...{ method: 'GET', path: '/ui/api/topology', role: 'reader' },
      run: async ({ request }) => {
        const herder = context.herder();
        const topology = topologyOf(herder.reads.records(), {
          activeTopics: (name) => (context.tracksTopics ? herder.topics.list(name) : []),
          deadLettersOf: ({ config }) =>
            deadLetterTopics(config, plugins.describe(config)?.deadLetters)
              // Others are topics of another cluster.
              .filter(({ servers }) => servers === null)
              .map(({ topic }) => topic),
          tracksTopics: context.tracksTopics,
        });
        const text = new SharedText(encodeJson({ at: Date.now(), ...topology } satisfies Topology));
        return { status: 200, ...(await text.reply(request)) };
      },
    },
  ];
}
