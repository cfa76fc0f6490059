/** All connectors: what needs attention, how fast records flow, and actions on several at once. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { Button } from '../../parts/button';
import { PageBody } from '../../parts/frame';
import type { Group } from '../../parts/group';
import { useGroup } from '../../parts/overview-store';
import { Empty, ErrorNotice, Notice, Skeleton } from '../../parts/placeholders';
import { printable } from '../../parts/printable';
import { navigate, replaceQuery } from '../../parts/router';
import type { Query } from '../../parts/routes';
import { roleObjection } from '../../parts/roles';
import { useSession } from '../../parts/session';
import { formatSort, parseSort, sorted, type Sort } from '../../parts/sorting';
import { SUMMARIES } from '../../parts/states';
import { COLUMNS } from './columns';
import { ConnectorTable } from './connector-table';
import { Filters } from './filters';
import { filterOf, matchesText } from './rows';
import { SelectionBar } from './selection-bar';
import { useSelection } from './use-selection';

const WORST_FIRST: Sort = { key: 'state', isDescending: false };
const SORTABLE = COLUMNS.map(({ key }) => key);

export function OverviewPage({ query }: { readonly query: Query }): JSX.Element {
  const group = useGroup();
  const { role } = useSession();
  const create = (
    <Button
      kind="primary"
      icon="plus"
      objection={roleObjection(role, 'admin')}
      onClick={() => navigate({ page: 'create' })}
    >
      Create connector
    </Button>
  );
  return (
    <PageBody title="Connectors" actions={create}>
      {group.data ? (
        <Connectors group={group.data} query={query} />
      ) : group.error ? (
        <ErrorNotice error={group.error} retry={group.refresh} />
      ) : (
        <Skeleton lines={10} />
      )}
    </PageBody>
  );
}

function Connectors({ group, query }: { readonly group: Group; readonly query: Query }): JSX.Element {
  const { connectors, health } = group;
  const sort = parseSort(query['sort'], SORTABLE, WORST_FIRST);
  const filter = useMemo(() => filterOf(query, SUMMARIES), [query['q'], query['state']]);
  const found = useMemo(() => connectors.filter((row) => matchesText(row, filter.words)), [connectors, filter]);
  const shown = useMemo(() => {
    const rows = filter.summary === null ? found : found.filter(({ summary }) => summary === filter.summary);
    const value = COLUMNS.find(({ key }) => key === sort.key)?.value;
    const byName = sorted(rows, ({ name }) => name, false);
    return value ? sorted(byName, (row) => value({ row, rates: [], stepMs: 0 }), sort.isDescending) : byName;
  }, [found, filter, sort.key, sort.isDescending]);
  const selection = useSelection(shown, connectors);
  const change = (changed: Query): void => replaceQuery({ ...query, ...changed });
  return (
    <>
      {/* The banner says that it is not in its group. */}
      {health.status !== 'healthy' && health.absence === null && (
        <Notice kind={health.status === 'starting' ? 'degraded' : 'failed'} title={`The worker is ${health.status}`}>
          {printable(health.message)}
        </Notice>
      )}
      <Filters query={query} found={found} total={connectors.length} shown={shown.length} onChange={change} />
      <SelectionBar selected={selection.rows} hidden={selection.hidden} onClear={selection.clear} />
      {shown.length > 0 ? (
        <ConnectorTable
          rows={shown}
          rates={group.rates}
          stepMs={group.historyStepMs}
          filterKey={`${query['state'] ?? ''} ${query['q'] ?? ''}`}
          sort={sort}
          onSort={(next) => change({ sort: formatSort(next) })}
          selection={selection}
        />
      ) : connectors.length === 0 ? (
        <Empty title="No connectors yet">
          <p>Create the first one from a form, or paste its registration document.</p>
        </Empty>
      ) : (
        <Empty title="No connector matches the filter">
          <Button onClick={() => change({ q: '', state: '' })}>Show all connectors</Button>
        </Empty>
      )}
    </>
  );
}
