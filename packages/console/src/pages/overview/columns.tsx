/** Columns of the list of connectors. */
import type { JSX } from 'preact';
import type { ConnectorRow } from '../../worker-api';
import { Age, Until } from '../../parts/age';
import { SummaryBadge } from '../../parts/badge';
import { SUMMARIES } from '../../parts/states';
import { formatCount, formatLag, formatNumberOf, formatRate, UNKNOWN } from '../../parts/format';
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
    key: 'errors',
    label: 'Failed records',
    align: 'end',
    value: ({ row }) => row.errorRate,
    cell: ({ row }) => <Errors row={row} />,
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
    label: 'What is wrong',
    value: ({ row: { reasons } }) => (reasons[0] === undefined ? null : -(reasons[0].since ?? 0)),
    cell: ({ row }) => <ReasonCell row={row} />,
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

function Errors({ row: { errors, errorRate } }: { readonly row: ConnectorRow }): JSX.Element {
  return (
    <div class="stack">
      <span class={`number${errorRate ? ' bad' : ''}`}>{formatRate(errorRate)}</span>
      {errors !== null && errors > 0 && <span class="sub number">{formatCount(errors)} in all</span>}
    </div>
  );
}

/** The worst one; the connector's page has all, and what to do. */
function ReasonCell({ row: { reasons } }: { readonly row: ConnectorRow }): JSX.Element {
  const [reason] = reasons;
  if (reason === undefined) return <span class="muted">{UNKNOWN}</span>;
  const { code, message, since, nextTryAt, task } = reason;
  const text = printable(message);
  return (
    <div class="stack">
      <bdi class="two-lines" title={text}>
        {text}
      </bdi>
      <span class="sub-text clip">
        <Age at={since} />
        {nextTryAt !== null && (
          <>
            {' · next try '}
            <Until at={nextTryAt} />
          </>
        )}
        {task !== null && ` · task ${task}`}
        {reasons.length > 1 && ` · ${formatNumberOf(reasons.length - 1, 'more reason')}`}
        {` · ${printable(code)}`}
      </span>
    </div>
  );
}
