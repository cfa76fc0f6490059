/** The last hour of a connector: rates, failed records, lags, and the amounts that its plugin declares. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ConnectorHistory } from '../../worker-api';
import { request } from '../../api/request';
import { isKnown, type ChartUnit } from '../../charts/chart-model';
import { HistoryNote } from '../../charts/history-note';
import { TimeChart, type TimeChartProps } from '../../charts/time-chart';
import { ErrorNotice, Skeleton } from '../../parts/placeholders';
import { usePoll } from '../../parts/use-poll';
import { detailsPath } from './use-connector';

const MEASURES: readonly (readonly [keyof ConnectorHistory['measures'], string, ChartUnit])[] = [
  ['rate', 'Records per second', 'rate'],
  ['errorRate', 'Failed records per second', 'rate'],
  ['lagRecords', 'Lag in records', 'count'],
  ['lagBytes', 'Lag in bytes', 'bytes'],
  ['lagSeconds', 'Lag in time', 'seconds'],
];
/** Shown before anything is known of them. */
const ALWAYS: ReadonlySet<string> = new Set(['rate', 'errorRate']);

type Chart = Pick<TimeChartProps, 'title' | 'unit' | 'series'>;

export function ChartsTab({ name }: { readonly name: string }): JSX.Element {
  const { data, error, refresh } = usePoll<ConnectorHistory>(
    async (signal) => await request<ConnectorHistory>(detailsPath(name, '/history'), { signal }),
    `history ${name}`,
    10_000,
  );
  const charts = useMemo(() => (data === null ? [] : chartsOf(data)), [data]);
  if (data === null) return error ? <ErrorNotice error={error} retry={refresh} /> : <Skeleton />;
  return (
    <>
      <div class="charts">
        {charts.map((chart) => (
          <TimeChart key={chart.title} {...chart} end={data.end} stepMs={data.stepMs} />
        ))}
      </div>
      <HistoryNote missing={data.missing} />
    </>
  );
}

function chartsOf({ measures, figures }: ConnectorHistory): readonly Chart[] {
  return [
    ...MEASURES.filter(([measure]) => ALWAYS.has(measure) || isKnown(measures[measure])).map(
      ([measure, title, unit]) => ({ title, unit, series: [{ label: title, values: measures[measure] }] }),
    ),
    ...figures
      .filter(({ values }) => isKnown(values))
      .map(({ panel, title, unit, values }) => ({
        title: `${panel}: ${title}`,
        unit,
        series: [{ label: title, values }],
      })),
  ];
}
