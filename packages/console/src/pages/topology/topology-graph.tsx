/** The picture of the topology. It is for the eye: what it shows is in the table, which the keyboard reaches. */
import type { JSX } from 'preact';
import { formatNumberOf, formatRate } from '../../parts/format';
import { printable } from '../../parts/printable';
import { navigate } from '../../parts/router';
import { NODE, pathOf, type Graph, type GraphEdge, type GraphNode, type Linked } from './topology-model';

export function TopologyGraph({ graph }: { readonly graph: Graph }): JSX.Element {
  const { nodes, edges, width, height, topics } = graph;
  const connectors = nodes.length - topics;
  const label = `${formatNumberOf(connectors, 'connector')} and ${formatNumberOf(topics, 'topic')}; the table below lists them`;
  return (
    <div class="topology" tabIndex={0} role="region" aria-label="Graph of connectors and topics">
      <svg role="img" aria-label={label} viewBox={`-1 -1 ${width + 2} ${height + 2}`} width={width} height={height}>
        {edges.map((edge) => (
          <Edge key={edge.key} edge={edge} />
        ))}
        {nodes.map((node) => (
          <Node key={node.key} node={node} />
        ))}
      </svg>
    </div>
  );
}

const toneOf = ({ row }: Linked): string => `tone-${row?.summary ?? 'unknown'}`;

function Edge({ edge }: { readonly edge: GraphEdge }): JSX.Element {
  const isFlowing = edge.connector.row?.summary === 'running' || edge.connector.row?.summary === 'degraded';
  return (
    <path
      class={`topology-edge ${toneOf(edge.connector)}${isFlowing && !edge.isDeadLetters ? '' : ' topology-dashed'}`}
      d={pathOf(edge)}
    />
  );
}

/** Of a node's width in this font. */
const MOST_CHARACTERS = 30;

function Node({ node: { name, connector, x, y } }: { readonly node: GraphNode }): JSX.Element {
  const text = printable(name);
  const row = connector?.row ?? null;
  const detail =
    connector === null
      ? 'topic'
      : row === null
        ? 'unknown'
        : [row.summary, ...(row.rate === null ? [] : [formatRate(row.rate)])].join(' · ');
  return (
    <g
      class={connector === null ? 'topology-topic' : `topology-connector ${toneOf(connector)}`}
      transform={`translate(${x} ${y})`}
      onClick={connector === null ? undefined : () => navigate({ page: 'connector', name })}
    >
      <title>{text}</title>
      <rect width={NODE.width} height={NODE.height} rx={connector === null ? 22 : 6} />
      <text x="16" y="18">
        {text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text}
      </text>
      <text x="16" y="35" class="topology-detail">
        {detail}
      </text>
    </g>
  );
}
