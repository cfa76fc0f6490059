/** The last hour of the workers' processes. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { WorkersHistory } from '../../worker-api';
import { request } from '../../api/request';
import { HistoryNote } from '../../charts/history-note';
import { TimeChart } from '../../charts/time-chart';
import { ErrorNotice, Skeleton } from '../../parts/placeholders';
import { usePoll } from '../../parts/use-poll';

/** More lines are not told apart. */
const MOST_WORKERS = 8;

/** @param chosen of the worker whose instances are shown, which is always among the lines */
export function WorkerCharts({ chosen }: { readonly chosen: string | null }): JSX.Element {
  const { data, error, refresh } = usePoll<WorkersHistory>(
    async (signal) => await request<WorkersHistory>('api/workers/history', { signal }),
    'workers history',
    10_000,
  );
  const workers = useMemo(() => {
    const all = data?.workers ?? [];
    return [...all.filter(({ id }) => id === chosen), ...all.filter(({ id }) => id !== chosen)].slice(0, MOST_WORKERS);
  }, [data, chosen]);
  const memory = useMemo(() => workers.map(({ id, memoryBytes }) => ({ label: id, values: memoryBytes })), [workers]);
  const cpu = useMemo(() => workers.map(({ id, cpu: values }) => ({ label: id, values })), [workers]);
  if (data === null) return error ? <ErrorNotice error={error} retry={refresh} /> : <Skeleton lines={2} />;
  const { end, stepMs, missing } = data;
  return (
    <>
      <div class="charts">
        <TimeChart title="Memory of the process" unit="bytes" series={memory} end={end} stepMs={stepMs} />
        <TimeChart title="CPU, of one core" unit="fraction" series={cpu} end={end} stepMs={stepMs} />
      </div>
      {data.workers.length > workers.length && (
        <p class="muted">
          The first {workers.length} of {data.workers.length} workers.
        </p>
      )}
      <HistoryNote missing={missing} />
    </>
  );
}
