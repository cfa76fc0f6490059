/** What is shown while there is nothing else: loading, empty, failed. */
import type { ComponentChildren, JSX } from 'preact';
import { RequestError } from '../api/request';
import { Button } from './button';
import { Icon } from './icon';
import { printable } from './printable';

/** Keeps the place of lines that are loading. */
export function Skeleton({ lines = 6 }: { readonly lines?: number }): JSX.Element {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} class="skeleton-line" />
      ))}
    </div>
  );
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

export interface NoticeProps {
  /** `failed`: does not work; `degraded`: deserves attention; `running`: it worked; `unknown`: information. */
  readonly kind: 'failed' | 'degraded' | 'running' | 'unknown';
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}

export function Notice({ kind, title, children, action }: NoticeProps): JSX.Element {
  return (
    <div class={`notice notice-${kind}`}>
      <Icon name={kind} />
      <div class="notice-text">
        <strong>{title}</strong>
        {children && <div>{children}</div>}
      </div>
      {action}
    </div>
  );
}

/** A failed request, in the worker's words. */
export function ErrorNotice({ error, retry }: { readonly error: Error; readonly retry?: () => void }): JSX.Element {
  const title = error instanceof RequestError ? `The worker answers ${error.status}` : 'The worker does not answer';
  return (
    <div role="alert">
      <Notice kind="failed" title={title} action={retry && <Button onClick={retry}>Try again</Button>}>
        {error instanceof RequestError && <bdi class="text">{printable(error.message)}</bdi>}
      </Notice>
    </div>
  );
}
