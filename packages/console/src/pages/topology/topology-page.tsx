/** Which connectors write to which topics and read from them: a picture, and a table of the topics. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Topology } from '../../worker-api';
import { request } from '../../api/request';
import { SummaryBadge } from '../../parts/badge';
import { Button } from '../../parts/button';
import { FilterInput } from '../../parts/filter-input';
import { formatCount, formatNumberOf, formatRate, UNKNOWN } from '../../parts/format';
import { PageBody } from '../../parts/frame';
import { useGroup } from '../../parts/overview-store';
import { Empty, ErrorNotice, Notice, Skeleton } from '../../parts/placeholders';
import { printable } from '../../parts/printable';
import { replaceQuery } from '../../parts/router';
import type { Query } from '../../parts/routes';
import { Table, type Column } from '../../parts/table';
import { ConnectorLink, Text } from '../../parts/text';
import { usePoll } from '../../parts/use-poll';
import { TopologyGraph } from './topology-graph';
import { graphOf, linksOf, matchingTopics, type Linked, type Links, type TopicNode } from './topology-model';

const ROWS = 100;
const MOST_UNLINKED = 50;
/** Connectors of one cell. */
const MOST_CONNECTORS = 20;

export function TopologyPage({ query }: { readonly query: Query }): JSX.Element {
  const { data, error, refresh } = usePoll<Topology>(
    async (signal) => await request<Topology>('api/topology', { signal }),
    'topology',
    10_000,
  );
  const { data: group } = useGroup();
  const rows = group?.connectors;
  const links = useMemo(() => data && linksOf(data.connectors, rows ?? []), [data, rows]);
  return (
    <PageBody title="Topology">
      {data && links ? (
        <Shown topology={data} links={links} q={query['q'] ?? ''} />
      ) : error ? (
        <ErrorNotice error={error} retry={refresh} />
      ) : (
        <Skeleton />
      )}
    </PageBody>
  );
}

interface ShownProps {
  readonly topology: Topology;
  readonly links: Links;
  readonly q: string;
}

function Shown({ topology, links: { topics, unlinked }, q }: ShownProps): JSX.Element {
  const [limit, setLimit] = useState(ROWS);
  const found = useMemo(() => matchingTopics(topics, q), [topics, q]);
  const graph = useMemo(() => graphOf(found), [found]);
  return (
    <>
      <div class="toolbar">
        <FilterInput
          label="Filter by topic or connector"
          placeholder="Topic or connector"
          value={q}
          onChange={(text) => replaceQuery({ q: text })}
        />
        <span class="muted" role="status">
          {found.length === topics.length
            ? formatNumberOf(topics.length, 'topic')
            : `${formatCount(found.length)} of ${formatNumberOf(topics.length, 'topic')}`}
          {graph.topics < found.length && `; the picture shows the first ${graph.topics}`}
        </span>
      </div>
      <Limits topology={topology} />
      {found.length === 0 ? (
        <Empty title={topics.length === 0 ? 'No topic is known yet' : 'No topic matches the filter'}>
          {topics.length === 0 && <p>Topics of sources are known once their tasks have written to them.</p>}
        </Empty>
      ) : (
        <>
          <TopologyGraph graph={graph} />
          <Table
            label="Topics"
            kind="columns-topology"
            columns={COLUMNS}
            rows={found.slice(0, limit)}
            keyOf={({ name }) => name}
          />
          {found.length > limit && (
            <p class="toolbar">
              <Button onClick={() => setLimit(limit + ROWS)}>Show {ROWS} more</Button>
              <span class="muted">{formatCount(limit)} are shown.</span>
            </p>
          )}
        </>
      )}
      <Unlinked connectors={unlinked} />
    </>
  );
}

/** What is not in the picture. */
function Limits({ topology: { tracksTopics, connectors, omitted } }: { readonly topology: Topology }): JSX.Element {
  const shortened = connectors.filter((connector) => connector.omitted > 0).length;
  return (
    <>
      {!tracksTopics && (
        <Notice kind="unknown" title="The topics of sources are unknown">
          Topic tracking is disabled by "topic.tracking.enable".
        </Notice>
      )}
      {omitted + shortened > 0 && (
        <Notice kind="unknown" title="Not everything is shown">
          {omitted > 0 &&
            `${formatNumberOf(omitted, 'connector')} beyond the first ${formatCount(connectors.length)}. `}
          {shortened > 0 && `Some topics of ${formatNumberOf(shortened, 'connector')}.`}
        </Notice>
      )}
    </>
  );
}

function Unlinked({ connectors }: { readonly connectors: readonly Linked[] }): JSX.Element | null {
  if (connectors.length === 0) return null;
  return (
    <section class="section" aria-labelledby="unlinked">
      <h2 id="unlinked">Without a known topic</h2>
      <ul class="list">
        {connectors.slice(0, MOST_UNLINKED).map((connector) => (
          <li key={connector.name}>
            <Connector connector={connector} />
          </li>
        ))}
        {connectors.length > MOST_UNLINKED && (
          <li class="muted">and {formatCount(connectors.length - MOST_UNLINKED)} more</li>
        )}
      </ul>
    </section>
  );
}

function Connector({ connector: { name, row, pattern } }: { readonly connector: Linked }): JSX.Element {
  return (
    <span class="topology-link">
      <ConnectorLink name={name} />
      {row && <SummaryBadge row={row} />}
      {row && <span class="number">{formatRate(row.rate)}</span>}
      {pattern !== null && (
        <span class="muted">
          by pattern <Text>{pattern}</Text>
        </span>
      )}
    </span>
  );
}

function Connectors({ all }: { readonly all: readonly Linked[] }): JSX.Element {
  if (all.length === 0) return <span class="muted">{UNKNOWN}</span>;
  return (
    <ul>
      {all.slice(0, MOST_CONNECTORS).map((connector) => (
        <li key={connector.name}>
          <Connector connector={connector} />
        </li>
      ))}
      {all.length > MOST_CONNECTORS && <li class="muted">and {formatCount(all.length - MOST_CONNECTORS)} more</li>}
    </ul>
  );
}

const COLUMNS: readonly Column<TopicNode>[] = [
  { key: 'topic', label: 'Topic', value: ({ name }) => printable(name), cell: ({ name }) => <Text>{name}</Text> },
  {
    key: 'writers',
    label: 'Written by',
    value: ({ writers }) => writers.length,
    cell: ({ writers }) => <Connectors all={writers} />,
  },
  {
    key: 'readers',
    label: 'Read by',
    value: ({ readers }) => readers.length,
    cell: ({ readers }) => <Connectors all={readers} />,
  },
  {
    key: 'failing',
    label: 'Dead letters of',
    value: ({ failing }) => failing.length,
    cell: ({ failing }) => <Connectors all={failing} />,
  },
];
