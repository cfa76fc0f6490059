/** Workers of the group: whether they answer, their load, and what runs on one of them. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { WorkerRow } from '../../worker-api';
import { PageBody } from '../../parts/frame';
import { formatNumberOf } from '../../parts/format';
import type { Group } from '../../parts/group';
import { useGroup } from '../../parts/overview-store';
import { ErrorNotice, Notice, Skeleton } from '../../parts/placeholders';
import { printable } from '../../parts/printable';
import type { Query } from '../../parts/routes';
import { lazyPage } from '../../parts/lazy-page';
import { Table } from '../../parts/table';
import { Text } from '../../parts/text';
import { INSTANCE_COLUMNS, WORKER_COLUMNS } from './columns';
import { instancesOf, versionsOf } from './instances';

const WorkerCharts = lazyPage(async () => (await import('./worker-charts')).WorkerCharts);

export function WorkersPage({ query }: { readonly query: Query }): JSX.Element {
  const { data, error, refresh } = useGroup();
  return (
    <PageBody title="Workers">
      {data ? (
        <Workers group={data} chosen={query['worker']} />
      ) : error ? (
        <ErrorNotice error={error} retry={refresh} />
      ) : (
        <Skeleton lines={4} />
      )}
    </PageBody>
  );
}

function Workers({ group, chosen }: { readonly group: Group; readonly chosen: string | undefined }): JSX.Element {
  const { workers, connectors } = group;
  const shown = workers.find(({ id }) => id === chosen) ?? workers.find(({ isThis }) => isThis) ?? workers[0];
  const instances = useMemo(() => (shown ? instancesOf(shown.id, connectors) : []), [shown?.id, connectors]);
  return (
    <>
      <MixedVersions workers={workers} />
      <Table
        label="Workers"
        kind="columns-workers"
        columns={WORKER_COLUMNS}
        rows={workers}
        keyOf={({ id }) => id}
        initialSort={{ key: 'worker', isDescending: false }}
      />
      <section class="section" aria-labelledby="last-hour">
        <h2 id="last-hour">The last hour</h2>
        <WorkerCharts chosen={shown?.id ?? null} />
      </section>
      {shown && (
        <section class="section" aria-labelledby="instances">
          <h2 id="instances">
            On <Text>{shown.id}</Text>
          </h2>
          <p class="muted">{summaryOf(shown, instances.length)}</p>
          {instances.length > 0 && (
            <Table
              label={`Connectors and tasks on ${printable(shown.id)}`}
              kind="columns-instances"
              columns={INSTANCE_COLUMNS}
              rows={instances}
              keyOf={({ connector, task }) => `${task ?? ''}/${connector}`}
              initialSort={{ key: 'connector', isDescending: false }}
            />
          )}
        </section>
      )}
    </>
  );
}

function summaryOf({ state, problem }: WorkerRow, count: number): string {
  const instances =
    count === 0
      ? 'Nothing is assigned to it.'
      : `${formatNumberOf(count, 'connector or task', 'connectors and tasks')}.`;
  if (state === 'gone') return `${instances} It has left the group: these are the last known states.`;
  if (state === 'silent') return `${instances} It does not answer${problem === null ? '' : `: ${printable(problem)}`}.`;
  if (state === 'other') return `${instances} It reports no figures, as Java workers do.`;
  return instances;
}

function MixedVersions({ workers }: { readonly workers: readonly WorkerRow[] }): JSX.Element | null {
  const versions = versionsOf(workers);
  if (versions.length < 2) return null;
  return (
    <Notice kind="degraded" title="The workers run different versions">
      {versions.map(([version, count]) => `${printable(version)} on ${formatNumberOf(count, 'worker')}`).join(', ')}.
      Finish the upgrade before you use what is new in the later version.
    </Notice>
  );
}
