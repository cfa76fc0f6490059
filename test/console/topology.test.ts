/** The topology: what is linked, in which order, and where it is drawn. */
import type { ConnectorRow, TopologyConnector } from '@millrace/console';
import {
  graphOf,
  linksOf,
  matchingTopics,
  pathOf,
  NODE,
} from '../../packages/console/src/pages/topology/topology-model';

const none = { pattern: null, writes: [], reads: [], deadLetters: [], omitted: 0 };
const connector = (name: string, topics: Partial<TopologyConnector>): TopologyConnector => ({
  ...none,
  name,
  ...topics,
});
const row = (name: string, summary: ConnectorRow['summary']): ConnectorRow => ({ name, summary }) as ConnectorRow;

const CONNECTORS = [
  connector('orders', { writes: ['o.10', 'o.9'] }),
  connector('archive', { reads: ['o.9'] }),
  connector('billing', { reads: ['o.10'], deadLetters: ['dead'] }),
  connector('again', { reads: ['dead.read'] }),
  connector('failing', { reads: ['o.9'], deadLetters: ['dead.read'] }),
  connector('new', {}),
];

test('topics with the worst connectors come first, then by name as people count', () => {
  const { topics, unlinked } = linksOf(CONNECTORS, [row('billing', 'failed'), row('archive', 'running')]);
  expect(topics.map(({ name }) => name)).toEqual(['dead', 'o.10', 'o.9', 'dead.read']);
  const last = topics.find(({ name }) => name === 'o.9');
  expect([last?.writers, last?.readers, last?.failing].map((all) => all?.map(({ name }) => name))).toEqual([
    ['orders'],
    ['archive', 'failing'],
    [],
  ]);
  expect(unlinked.map(({ name }) => name)).toEqual(['new']);
});

test('the filter finds topics by their names and by those of their connectors', () => {
  const { topics } = linksOf(CONNECTORS, []);
  const names = (text: string): string[] => matchingTopics(topics, text).map(({ name }) => name);
  expect(names('BILL')).toEqual(['dead', 'o.10']);
  expect(names('orders 9')).toEqual(['o.9']);
  expect(names('')).toHaveLength(4);
});

test('columns: sources, topics, sinks, topics of dead letters; an edge that leads back arrives at the right', () => {
  const graph = graphOf(linksOf(CONNECTORS, []).topics);
  const columnOf = (key: string): number | undefined => {
    const node = graph.nodes.find((one) => one.key === key);
    return node && node.x / (NODE.width + NODE.gapX);
  };
  expect(
    ['connector orders', 'topic o.9', 'topic dead.read', 'connector billing', 'topic dead', 'connector new'].map(
      columnOf,
    ),
  ).toEqual([0, 1, 1, 2, 3, undefined]);
  expect(graph.topics).toBe(4);
  expect(graph.edges).toHaveLength(8);
  const back = graph.edges.find(({ key }) => key === 'dead letters failing\ndead.read');
  expect(back && pathOf(back)).toMatch(new RegExp(`^M${back?.from.x} .* ${(back?.to.x ?? 0) + NODE.width} [\\d.]+$`));
  for (const { x, y } of graph.nodes) {
    expect(x + NODE.width).toBeLessThanOrEqual(graph.width);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + NODE.height).toBeLessThanOrEqual(graph.height);
  }
});

test('of thousands, a bounded part is drawn', () => {
  const many = Array.from({ length: 5_000 }, (_, i) => connector(`c${i}`, { writes: [`t${i}`] }));
  const fanOut = Array.from({ length: 100 }, (_, i) => connector(`s${i}`, { reads: ['t0'] }));
  const graph = graphOf(linksOf([...many, ...fanOut], []).topics);
  expect(graph.topics).toBe(40);
  expect(graph.nodes).toHaveLength(80);
  expect(graph.nodes.some(({ key }) => key === 'topic t0')).toBe(false);
});
