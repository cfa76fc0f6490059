/** Header, navigation and the place of the page. */
import type { ComponentChildren, JSX } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import { ActionResults } from './action-results';
import { ConnectionBanner, GroupBanner, UpdateBanner } from './banner';
import { Button } from './button';
import { Select } from './form';
import { useGroup } from './overview-store';
import { formatRoute, type Page } from './routes';
import { SessionControls, useSession } from './session';
import { Shortcuts } from './shortcuts';
import { useStore } from './store';
import { Name } from './text';
import { chooseTheme, theme, type Theme } from './theme';
import { Toasts } from './toast';

const LINKS: readonly (readonly [Page, string])[] = [
  ['overview', 'Connectors'],
  ['topology', 'Topology'],
  ['plugins', 'Plugins'],
  ['workers', 'Workers'],
  ['loggers', 'Loggers'],
  ['changes', 'Changes'],
];

export interface FrameProps {
  readonly page: Page;
  /** Version of the worker that served this page, if another one runs now. */
  readonly updatedTo: string | null;
  readonly children: ComponentChildren;
}

export function Frame({ page, updatedTo, children }: FrameProps): JSX.Element {
  const group = useGroup();
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header class="head">
        <a class="brand" href={formatRoute({ page: 'overview' })}>
          <Mark />
          <span>Millrace</span>
        </a>
        <nav class="nav" aria-label="Pages">
          {LINKS.map(([to, label]) => (
            <a
              key={to}
              href={formatRoute({ page: to })}
              aria-current={
                to === page || (to === 'overview' && (page === 'connector' || page === 'create')) ? 'page' : undefined
              }
            >
              {label}
            </a>
          ))}
        </nav>
        <Identity />
      </header>
      <main id="main" class="main" tabIndex={-1}>
        {children}
      </main>
      {/* At the bottom, where they move nothing that is about to be clicked. */}
      <div class="dock">
        <ConnectionBanner group={group} />
        <GroupBanner group={group} />
        {updatedTo !== null && <UpdateBanner version={updatedTo} />}
        <ActionResults />
      </div>
      <Toasts />
      <Shortcuts />
    </>
  );
}

function Identity(): JSX.Element {
  const { user, role, worker, groupId, millraceVersion } = useSession();
  const { signOut } = useContext(SessionControls);
  const { data } = useGroup();
  const chosen = useStore(theme);
  return (
    <div class="identity">
      <dl class="facts">
        <Fact label="Group">{groupId}</Fact>
        <Fact label="Worker">{worker}</Fact>
        {data?.kafkaClusterId && <Fact label="Kafka cluster">{data.kafkaClusterId}</Fact>}
        <Fact label="Millrace">{millraceVersion}</Fact>
      </dl>
      <Select
        aria-label="Theme"
        value={chosen}
        onChange={(value) => chooseTheme(value as Theme)}
        options={[
          ['auto', 'Auto'],
          ['light', 'Light'],
          ['dark', 'Dark'],
        ]}
      />
      {user !== null && (
        <div class="user">
          <Name>{user}</Name>
          <span class="tag">{role}</span>
          <Button kind="quiet" onClick={signOut}>
            Sign out
          </Button>
        </div>
      )}
    </div>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: string }): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <Name>{children}</Name>
      </dd>
    </div>
  );
}

function Mark(): JSX.Element {
  return (
    <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" class="mark">
      <path d="M3 8c3 0 3-2.5 6-2.5S12 8 15 8s3-2.5 6-2.5M3 13c3 0 3-2.5 6-2.5s3 2.5 6 2.5 3-2.5 6-2.5M3 18c3 0 3-2.5 6-2.5s3 2.5 6 2.5 3-2.5 6-2.5" />
    </svg>
  );
}

/** The fragment names the page, so the link's own target would leave it. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

export interface PageProps {
  readonly title: string;
  /** Shown instead of `title`, for instance a name that is clipped. */
  readonly heading?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page's heading, which is also the window's title; it gets the focus when the page is opened. */
export function PageBody({ title, heading, actions, children }: PageProps): JSX.Element {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Millrace`;
  }, [title]);
  useEffect(() => {
    if (hasOpenedOne) ref.current?.focus({ preventScroll: true });
    hasOpenedOne = true;
    scrollTo(0, 0);
  }, []);
  return (
    <>
      <div class="page-head">
        <h1 ref={ref} tabIndex={-1}>
          {heading ?? title}
        </h1>
        {actions && <div class="page-actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}
/** The first page is opened by the browser, which places the focus itself. */
let hasOpenedOne = false;
