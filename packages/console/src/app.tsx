/** The console: its frame, and the page that the address names. */
import type { JSX } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import { ChangesPage } from './pages/changes/changes-page';
import { LoggersPage } from './pages/loggers/loggers-page';
import { OverviewPage } from './pages/overview/overview-page';
import { WorkersPage } from './pages/workers/workers-page';
import { observe } from './parts/action-runs';
import { Frame, PageBody } from './parts/frame';
import { lazyPage } from './parts/lazy-page';
import { GroupContext, useGroupPoll } from './parts/overview-store';
import { Empty } from './parts/placeholders';
import { useRoute } from './parts/router';
import { formatRoute, type Route } from './parts/routes';
import { SessionGate } from './parts/session-gate';
import { SessionControls, useSession } from './parts/session';

const ConnectorPage = lazyPage(async () => (await import('./pages/connector/connector-page')).ConnectorPage);
const CreatePage = lazyPage(async () => (await import('./pages/create/create-page')).CreatePage);
const PluginsPage = lazyPage(async () => (await import('./pages/plugins/plugins-page')).PluginsPage);
const TopologyPage = lazyPage(async () => (await import('./pages/topology/topology-page')).TopologyPage);

export function App(): JSX.Element {
  return (
    <SessionGate>
      <Console />
    </SessionGate>
  );
}

function Console(): JSX.Element {
  const route = useRoute();
  const group = useGroupPoll();
  const { reload } = useContext(SessionControls);
  const { millraceVersion } = useSession();
  // The script in the browser is from the worker that served the page.
  const servedBy = useRef(millraceVersion).current;
  const version = group.data?.workers.find(({ isThis }) => isThis)?.version ?? servedBy;
  const wasStale = useRef(false);
  useEffect(() => {
    // The worker is back, perhaps with other settings.
    if (wasStale.current && !group.isStale) reload();
    wasStale.current = group.isStale;
  }, [group.isStale]);
  useEffect(() => {
    if (group.data && !group.isStale) observe(group.data.connectors);
  }, [group.data]);
  return (
    <GroupContext.Provider value={group}>
      <Frame page={route.page} updatedTo={version === servedBy ? null : version}>
        <PageOf route={route} />
      </Frame>
    </GroupContext.Provider>
  );
}

function PageOf({ route: { page, name = '', query = {} } }: { readonly route: Route }): JSX.Element {
  switch (page) {
    case 'overview':
      return <OverviewPage query={query} />;
    case 'workers':
      return <WorkersPage query={query} />;
    case 'loggers':
      return <LoggersPage query={query} />;
    case 'changes':
      return <ChangesPage query={query} />;
    case 'connector':
      return <ConnectorPage key={name} name={name} query={query} />;
    case 'topology':
      return <TopologyPage query={query} />;
    case 'create':
      return <CreatePage query={query} />;
    case 'plugins':
      return <PluginsPage query={query} />;
    default:
      return (
        <PageBody title="No such page">
          <Empty title="The console has no page at this address.">
            <a href={formatRoute({ page: 'overview' })}>All connectors</a>
          </Empty>
        </PageBody>
      );
  }
}
