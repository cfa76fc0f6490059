/** Topics with their connectors, those that need attention first, and where they are drawn. Pure. */
import type { ConnectorRow, TopologyConnector } from '../../worker-api';
import { compareNames } from '../../parts/format';
import { SUMMARIES } from '../../parts/states';

/** What is shown of a connector: its topics, and its row in the list, unless it has just been deleted. */
export interface Linked extends TopologyConnector {
  readonly row: ConnectorRow | null;
}

export interface TopicNode {
  readonly name: string;
  readonly writers: readonly Linked[];
  readonly readers: readonly Linked[];
  /** Sinks that write their dead letters to it. */
  readonly failing: readonly Linked[];
}

export interface Links {
  /** The worst first. */
  readonly topics: readonly TopicNode[];
  /** Connectors without a known topic. */
  readonly unlinked: readonly Linked[];
}

export function linksOf(connectors: readonly TopologyConnector[], rows: readonly ConnectorRow[]): Links {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const linked = connectors.map((connector) => ({ ...connector, row: byName.get(connector.name) ?? null }));
  type Lists = { readonly writers: Linked[]; readonly readers: Linked[]; readonly failing: Linked[] };
  const topics = new Map<string, Lists>();
  const add = (names: readonly string[], list: keyof Lists, connector: Linked): void => {
    for (const name of names) {
      const found = topics.get(name) ?? { writers: [], readers: [], failing: [] };
      topics.set(name, found);
      found[list].push(connector);
    }
  };
  for (const connector of linked) {
    add(connector.writes, 'writers', connector);
    add(connector.reads, 'readers', connector);
    add(connector.deadLetters, 'failing', connector);
  }
  const nodes = [...topics].map(([name, lists]) => ({ name, ...lists }));
  const rank = new Map(nodes.map((node) => [node, rankOf(node)]));
  nodes.sort((a, b) => (rank.get(a) as number) - (rank.get(b) as number) || compareNames(a.name, b.name));
  const isLinked = ({ writes, reads, deadLetters }: Linked): boolean =>
    writes.length + reads.length + deadLetters.length > 0;
  return { topics: nodes, unlinked: linked.filter((connector) => !isLinked(connector)) };
}

/** Of the worst connector. */
function rankOf({ writers, readers, failing }: TopicNode): number {
  return Math.min(
    SUMMARIES.length,
    ...[...writers, ...readers, ...failing].map(({ row }) =>
      row === null ? SUMMARIES.length : SUMMARIES.indexOf(row.summary),
    ),
  );
}

/** Each word occurs in the topic's name, or in that of one of its connectors. */
export function matchingTopics(topics: readonly TopicNode[], text: string): readonly TopicNode[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return topics;
  return topics.filter((topic) => {
    const connectors = [...topic.writers, ...topic.readers, ...topic.failing];
    const found = [topic.name, ...connectors.map(({ name }) => name)].join('\n').toLowerCase();
    return words.every((word) => found.includes(word));
  });
}

export const NODE = { width: 232, height: 44, gapX: 80, gapY: 12 } as const;
/** Of one column. */
const MOST_NODES = 40;

export interface GraphNode {
  /** Unique: `topic NAME`, `connector NAME`. */
  readonly key: string;
  readonly name: string;
  /** Null: a topic. */
  readonly connector: Linked | null;
  readonly x: number;
  readonly y: number;
}

export interface GraphEdge {
  readonly key: string;
  readonly from: GraphNode;
  readonly to: GraphNode;
  /** Decides about its color. */
  readonly connector: Linked;
  readonly isDeadLetters: boolean;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly width: number;
  readonly height: number;
  /** Topics that are drawn. */
  readonly topics: number;
}

/** Four columns: sources, topics, sinks, and topics to which only dead letters are written. */
export function graphOf(topics: readonly TopicNode[]): Graph {
  const columns: [Map<string, Linked>, TopicNode[], Map<string, Linked>, TopicNode[]] = [new Map(), [], new Map(), []];
  const [sources, middle, sinks, dead] = columns;
  let shown = 0;
  for (const topic of topics) {
    const isDead = topic.writers.length + topic.readers.length === 0;
    const newSources = topic.writers.filter(({ name }) => !sources.has(name));
    const newSinks = [...topic.readers, ...topic.failing].filter(({ name }) => !sinks.has(name));
    const isFull =
      (isDead ? dead : middle).length >= MOST_NODES ||
      sources.size + newSources.length > MOST_NODES ||
      sinks.size + newSinks.length > MOST_NODES;
    if (isFull) continue;
    shown++;
    (isDead ? dead : middle).push(topic);
    for (const connector of newSources) sources.set(connector.name, connector);
    for (const connector of newSinks) sinks.set(connector.name, connector);
  }
  return { ...placed([[...sources.values()], middle, [...sinks.values()], dead]), topics: shown };
}

type Column = readonly (Linked | TopicNode)[];

function placed(columns: readonly Column[]): Omit<Graph, 'topics'> {
  const used = columns.filter((column) => column.length > 0);
  const rowHeight = NODE.height + NODE.gapY;
  const height = Math.max(0, ...used.map((column) => column.length)) * rowHeight;
  const nodes = used.flatMap((column, at) =>
    column.map((one, index): GraphNode => {
      const connector = 'row' in one ? one : null;
      return {
        key: `${connector ? 'connector' : 'topic'} ${one.name}`,
        name: one.name,
        connector,
        x: at * (NODE.width + NODE.gapX),
        y: (height - column.length * rowHeight) / 2 + index * rowHeight,
      };
    }),
  );
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const topics = columns.flat().filter((one): one is TopicNode => 'writers' in one);
  const edge = (connector: Linked, topic: TopicNode, kind: 'writes' | 'reads' | 'dead letters'): GraphEdge[] => {
    const [of, at] = [byKey.get(`connector ${connector.name}`), byKey.get(`topic ${topic.name}`)];
    if (!of || !at) return [];
    const [from, to] = kind === 'reads' ? [at, of] : [of, at];
    return [
      { key: `${kind} ${connector.name}\n${topic.name}`, from, to, connector, isDeadLetters: kind === 'dead letters' },
    ];
  };
  return {
    nodes,
    edges: topics.flatMap((topic) => [
      ...topic.writers.flatMap((connector) => edge(connector, topic, 'writes')),
      ...topic.readers.flatMap((connector) => edge(connector, topic, 'reads')),
      ...topic.failing.flatMap((connector) => edge(connector, topic, 'dead letters')),
    ]),
    width: used.length * (NODE.width + NODE.gapX) - NODE.gapX,
    height,
  };
}

/** From the right side of one node to the left side of the other; one that leads back leaves and arrives above. */
export function pathOf({ from, to }: GraphEdge): string {
  const [x1, y1] = [from.x + NODE.width, from.y + NODE.height / 2];
  const [x2, y2] = [to.x, to.y + NODE.height / 2];
  if (x2 > x1) {
    const middle = (x1 + x2) / 2;
    return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
  }
  const right = to.x + NODE.width;
  const middle = (from.x + right) / 2;
  return `M${from.x} ${y1}C${middle} ${y1} ${middle} ${y2} ${right} ${y2}`;
}
