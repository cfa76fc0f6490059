/** Columns of the list of connectors. */
import type { JSX } from 'preact';
import type { ConnectorRow } from '../../worker-api';
import { Age } from '../../parts/age';
import { SummaryBadge } from '../../parts/badge';
import { SUMMARIES } from '../../parts/states';
import { formatLag, formatRate, UNKNOWN } from '../../parts/format';
import { printable } from '../../parts/printable';
import { Sparkline } from '../../parts/rate-chart';
import type { Column } from '../../parts/table';
import { ConnectorLink, Name } from '../../parts/text';
import { isLate, shortClass, tasksText } from './rows';

export interface Entry {
  readonly row: ConnectorRow;
  readonly rates: readonly (number | null)[];
  readonly stepMs: number;
}

export const COLUMNS: readonly Column<Entry>[] = [
  {
    key: 'name',
    label: 'Connector',
    value: ({ row }) => row.name,
    cell: ({ row }) => (
      <div class="stack">
        <ConnectorLink name={row.name} />
        <span class="sub">
          {row.type !== 'unknown' && <span class="tag">{row.type}</span>}
          <span title={printable(row.className)} class="clip">
            {printable(shortClass(row.className))}
          </span>
        </span>
      </div>
    ),
  },
  {
    key: 'state',
    label: 'State',
    value: ({ row }) => SUMMARIES.indexOf(row.summary),
    cell: ({ row }) => <SummaryBadge row={row} />,
  },
  {
    key: 'tasks',
    label: 'Tasks',
    value: ({ row }) => row.tasks.length,
    cell: ({ row }) => <Tasks row={row} />,
  },
  {
    key: 'rate',
    label: 'Rate',
    align: 'end',
    value: ({ row }) => row.rate,
    cell: ({ row, rates, stepMs }) => (
      <div class="rate">
        <Sparkline rates={rates} stepMs={stepMs} />
        <span class="number">{formatRate(row.rate)}</span>
      </div>
    ),
  },
  {
    key: 'lag',
    label: 'Lag',
    align: 'end',
    value: ({ row: { lag } }) => lag.seconds ?? lag.records ?? lag.bytes,
    cell: ({ row }) => <LagCell row={row} />,
  },
  {
    key: 'worker',
    label: 'Worker',
    value: ({ row }) => row.worker,
    cell: ({ row }) => (
      <div class="stack">
        <Name>{row.worker || UNKNOWN}</Name>
        {row.isWorkerGone && <span class="sub warn">gone</span>}
      </div>
    ),
  },
  {
    key: 'failure',
    label: 'Last failure',
    value: ({ row }) => (row.failure === null ? null : -(row.failure.at ?? 0)),
    cell: ({ row }) => <FailureCell row={row} />,
  },
];

function Tasks({ row }: { readonly row: ConnectorRow }): JSX.Element {
  const { main, failed } = tasksText(row);
  return (
    <div class="stack">
      <span class="number">{main}</span>
      {failed !== null && <span class="sub bad">{failed}</span>}
    </div>
  );
}

function LagCell({ row }: { readonly row: ConnectorRow }): JSX.Element {
  const [first = UNKNOWN, ...rest] = formatLag(row.lag);
  return (
    <div class="stack">
      <span class={`number${isLate(row.lag) ? ' warn' : ''}`}>{first}</span>
      {rest.length > 0 && <span class="sub number">{rest.join(' · ')}</span>}
    </div>
  );
}

function FailureCell({ row: { failure } }: { readonly row: ConnectorRow }): JSX.Element {
  if (failure === null) return <span class="muted">{UNKNOWN}</span>;
  const sentence = printable(failure.sentence);
  return (
    <div class="stack">
      <bdi class="clip" title={sentence}>
        {sentence}
      </bdi>
      <span class="sub">
        <Age at={failure.at} />
        {failure.task !== null && <span>· task {failure.task}</span>}
        {failure.code !== null && <span class="clip">· {printable(failure.code)}</span>}
      </span>
    </div>
  );
}
