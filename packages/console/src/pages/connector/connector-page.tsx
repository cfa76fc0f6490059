/** One connector: what is wrong first, then everything that can be known and done. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ConnectorDetails } from '../../worker-api';
import { useDraft } from '../../config-form/use-draft';
import type { OffsetRow } from '../../offsets/offsets-model';
import { PageBody } from '../../parts/frame';
import { useLeaveGuard } from '../../parts/leave-guard';
import { lazyPage } from '../../parts/lazy-page';
import { Empty, ErrorNotice, Skeleton } from '../../parts/placeholders';
import { printable } from '../../parts/printable';
import { replaceQuery } from '../../parts/router';
import { formatRoute, type Query } from '../../parts/routes';
import { Tabs } from '../../parts/tabs';
import { Text } from '../../parts/text';
import type { Polled } from '../../parts/use-poll';
import { ConnectorActions } from './connector-actions';
import { Facts } from './facts';
import { HistoryTab } from './history-tab';
import { LogsTab } from './logs-tab';
import { StatusTab } from './status-tab';
import { isNotFound, useConnector } from './use-connector';

const ChartsTab = lazyPage(async () => (await import('./charts-tab')).ChartsTab);
const ConfigTab = lazyPage(async () => (await import('./config-tab')).ConfigTab);
const OffsetsTab = lazyPage(async () => (await import('./offsets-tab')).OffsetsTab);
const TopicsTab = lazyPage(async () => (await import('./topics-tab')).TopicsTab);
const DeadLettersTab = lazyPage(async () => (await import('./dead-letters-tab')).DeadLettersTab);

const TABS = [
  { key: 'status', label: 'Status' },
  { key: 'charts', label: 'Charts' },
  { key: 'config', label: 'Configuration' },
  { key: 'offsets', label: 'Offsets' },
  { key: 'topics', label: 'Topics' },
  { key: 'logs', label: 'Logs' },
  { key: 'dead-letters', label: 'Dead letters' },
  { key: 'history', label: 'History' },
] as const;
type TabKey = (typeof TABS)[number]['key'];

export interface ConnectorPageProps {
  readonly name: string;
  readonly query: Query;
}

export function ConnectorPage({ name, query }: ConnectorPageProps): JSX.Element {
  const polled = useConnector(name);
  const title = printable(name);
  if (isNotFound(polled.error)) return <Missing name={name} wasShown={polled.data !== null} />;
  return (
    <>
      <a class="back" href={formatRoute({ page: 'overview' })}>
        All connectors
      </a>
      <PageBody
        title={title}
        heading={<Text>{name}</Text>}
        actions={polled.data && <ConnectorActions details={polled.data} refresh={polled.refresh} />}
      >
        {polled.data ? (
          <Connector details={polled.data} polled={polled} query={query} />
        ) : polled.error ? (
          <ErrorNotice error={polled.error} retry={polled.refresh} />
        ) : (
          <Skeleton />
        )}
      </PageBody>
    </>
  );
}

function Missing({ name, wasShown }: { readonly name: string; readonly wasShown: boolean }): JSX.Element {
  return (
    <PageBody title={printable(name)} heading={<Text>{name}</Text>}>
      <div role="status">
        <Empty title={wasShown ? 'This connector has been deleted' : 'There is no connector with this name'}>
          {wasShown && <p>It was deleted while this page was open. Its topics and offsets may still exist.</p>}
          <a href={formatRoute({ page: 'overview' })}>All connectors</a>
        </Empty>
      </div>
    </PageBody>
  );
}

interface ConnectorProps {
  readonly details: ConnectorDetails;
  readonly polled: Polled<ConnectorDetails>;
  readonly query: Query;
}

function Connector({ details, polled, query }: ConnectorProps): JSX.Element {
  const { row } = details;
  // Here, so that changes survive a look at another tab.
  const draft = useDraft(details.config);
  const [offsets, setOffsets] = useState<readonly OffsetRow[] | null>(null);
  const question = useLeaveGuard(
    draft.isChanged || offsets !== null,
    `The changes of ${draft.isChanged ? 'the configuration' : 'the offsets'} are not saved.`,
  );
  const selected: TabKey = TABS.find(({ key }) => key === query['tab'])?.key ?? 'status';
  const isUnsaved: Partial<Record<TabKey, boolean>> = { config: draft.isChanged, offsets: offsets !== null };
  const tabs = useMemo(
    () => TABS.map(({ key, label }) => ({ key, label: isUnsaved[key] ? `${label} (unsaved)` : label })),
    [isUnsaved.config, isUnsaved.offsets],
  );
  return (
    <>
      <Facts details={details} />
      <Tabs
        label="Connector"
        tabs={tabs}
        selected={selected}
        onSelect={(tab) => replaceQuery({ tab: tab === 'status' ? '' : tab })}
      >
        {selected === 'status' && <StatusTab details={details} refresh={polled.refresh} />}
        {selected === 'charts' && <ChartsTab name={row.name} />}
        {selected === 'config' && <ConfigTab details={details} draft={draft} refresh={polled.refresh} />}
        {selected === 'offsets' && (
          <OffsetsTab details={details} edited={offsets} onEdit={setOffsets} refresh={polled.refresh} />
        )}
        {selected === 'topics' && <TopicsTab details={details} topic={query['topic'] ?? ''} refresh={polled.refresh} />}
        {selected === 'logs' && <LogsTab name={row.name} />}
        {selected === 'dead-letters' && <DeadLettersTab details={details} group={query['group'] ?? ''} />}
        {selected === 'history' && <HistoryTab name={row.name} />}
      </Tabs>
      {question}
    </>
  );
}
