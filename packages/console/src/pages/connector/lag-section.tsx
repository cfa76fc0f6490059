/** How far the connector is behind: of a sink in each partition, of a source what its plugin publishes. */
import type { JSX } from 'preact';
import type { ConnectorRow, PartitionLag, SinkLag, TaskRow } from '../../worker-api';
import { request } from '../../api/request';
import { formatBytes, formatCount, formatDuration, formatNumberOf, UNKNOWN } from '../../parts/format';
import { Empty, ErrorNotice, Notice, Skeleton } from '../../parts/placeholders';
import { printable } from '../../parts/printable';
import { share } from '../../parts/share';
import { Table, type Column } from '../../parts/table';
import { Name } from '../../parts/text';
import { usePoll } from '../../parts/use-poll';
import { detailsPath } from './use-connector';

const INTERVAL_MS = 5_000;

export function LagSection({ row }: { readonly row: ConnectorRow }): JSX.Element | null {
  if (row.type === 'unknown') return null;
  return row.type === 'sink' ? <SinkLags name={row.name} /> : <SourceLags tasks={row.tasks} />;
}

function SinkLags({ name }: { readonly name: string }): JSX.Element {
  const { data, error, refresh } = usePoll<SinkLag>(
    async (signal, previous) => share(previous, await request<SinkLag>(detailsPath(name, '/lag'), { signal })),
    `lag ${name}`,
    INTERVAL_MS,
  );
  return (
    <section class="section" aria-labelledby="lag">
      <h2 id="lag">
        Lag <span class="muted number">{data && formatNumberOf(data.total, 'partition')}</span>
      </h2>
      {error && <ErrorNotice error={error} retry={refresh} />}
      {data && data.missing.length > 0 && (
        <Notice kind="degraded" title="The positions of some tasks are unknown">
          No answer from {data.missing.map(printable).join(', ')}: their lag is that of the committed offsets.
        </Notice>
      )}
      {data === null ? (
        error === null && <Skeleton lines={3} />
      ) : (
        <Table
          label="Lag of the partitions"
          kind="columns-lag"
          columns={PARTITIONS}
          rows={data.partitions}
          keyOf={({ topic, partition }) => `${partition} ${topic}`}
          initialSort={{ key: 'lag', isDescending: true }}
          empty={<Empty title="Kafka has no partition of the connector's topics" />}
        />
      )}
      {data && data.partitions.length < data.total && (
        <p class="muted">The {formatCount(data.partitions.length)} that are most behind are shown.</p>
      )}
    </section>
  );
}

type Figure = 'committed' | 'position' | 'end';
const offset = (key: Figure, label: string): Column<PartitionLag> => ({
  ...{ key, label, align: 'end' },
  value: (row) => row[key],
  cell: (row) => <span class="number">{row[key] ?? UNKNOWN}</span>,
});
const PARTITIONS: readonly Column<PartitionLag>[] = [
  { key: 'topic', label: 'Topic', value: ({ topic }) => topic, cell: ({ topic }) => <Name>{topic}</Name> },
  {
    ...{ key: 'partition', label: 'Partition', align: 'end' },
    value: ({ partition }) => partition,
    cell: ({ partition }) => <span class="number">{partition}</span>,
  },
  {
    ...{ key: 'task', label: 'Task', align: 'end' },
    value: ({ task }) => task,
    cell: ({ task }) => <span class="number">{task ?? UNKNOWN}</span>,
  },
  offset('committed', 'Committed'),
  offset('position', 'Position'),
  offset('end', 'End'),
  {
    ...{ key: 'lag', label: 'Lag', align: 'end' },
    value: ({ records }) => records,
    cell: ({ records }) => <span class="number">{formatCount(records)}</span>,
  },
  {
    ...{ key: 'age', label: 'Oldest', align: 'end' },
    value: ({ seconds }) => seconds,
    cell: ({ seconds }) => <span class="number">{seconds === null ? UNKNOWN : formatDuration(seconds * 1000)}</span>,
  },
];

function SourceLags({ tasks }: { readonly tasks: readonly TaskRow[] }): JSX.Element {
  return (
    <section class="section" aria-labelledby="lag">
      <h2 id="lag">Lag that the plugin publishes</h2>
      <Table
        label="Lag of the tasks"
        kind="columns-source-lag"
        columns={TASKS}
        rows={tasks}
        keyOf={({ id }) => id}
        empty={<Empty title="The connector has no tasks" />}
      />
    </section>
  );
}

const TASKS: readonly Column<TaskRow>[] = [
  { key: 'task', label: 'Task', value: ({ id }) => id, cell: ({ id }) => <span class="number">{id}</span> },
  {
    ...{ key: 'records', label: 'Records', align: 'end' },
    value: ({ lag }) => lag.records,
    cell: ({ lag }) => <span class="number">{formatCount(lag.records)}</span>,
  },
  {
    ...{ key: 'bytes', label: 'Size', align: 'end' },
    value: ({ lag }) => lag.bytes,
    cell: ({ lag }) => <span class="number">{formatBytes(lag.bytes)}</span>,
  },
  {
    ...{ key: 'seconds', label: 'Time', align: 'end' },
    value: ({ lag }) => lag.seconds,
    cell: ({ lag: { seconds } }) => (
      <span class="number">{formatDuration(seconds === null ? null : seconds * 1000)}</span>
    ),
  },
];
