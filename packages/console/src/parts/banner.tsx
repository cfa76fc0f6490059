/** Says that what is shown is not of now, and why. */
import type { JSX } from 'preact';
import { Button } from './button';
import { formatClock } from './format';
import { Icon } from './icon';
import type { Group } from './group';
import { printable } from './printable';
import type { Polled } from './use-poll';
import { RequestError } from '../api/request';

export function ConnectionBanner({ group }: { readonly group: Polled<Group> }): JSX.Element {
  // Without credentials, the sign-in form says what is wrong.
  const needsSignIn = group.error instanceof RequestError && group.error.status === 401;
  // Rendered always: a live region that appears together with its text is not read.
  return (
    <div role="alert">
      {group.isStale && group.at !== null && !needsSignIn && (
        <div class="banner banner-failed">
          <Icon name="failed" />
          <p>{message(group, group.at)}</p>
          <Button onClick={group.refresh}>Retry now</Button>
        </div>
      )}
    </div>
  );
}

function message({ error, data }: Polled<Group>, at: number): string {
  const worker = `The worker at ${printable(data?.worker ?? location.host)}`;
  const since = formatClock(at);
  if (error instanceof RequestError)
    return `${worker} has answered with an error since ${since}: ${printable(error.message.replace(/\.$/, ''))}. What is shown is from then. Retrying.`;
  return `${worker} does not answer since ${since}; what is shown is from then. Retrying.`;
}

/** What the worker knows of others is of the time when it left its group. */
export function GroupBanner({ group: { data, isStale } }: { readonly group: Polled<Group> }): JSX.Element {
  const absence = data?.health.absence ?? null;
  return (
    <div role="alert">
      {absence !== null && !isStale && (
        <div class="banner banner-failed">
          <Icon name="unknown" />
          <p>
            {`This worker has not been in its group since ${formatClock(absence.since)}: ${printable(sentence(absence.reason))} `}
            States are the last known ones; it rejoins by itself.
          </p>
        </div>
      )}
    </div>
  );
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** After an update of the worker, the page in the browser is of the version before. */
export function UpdateBanner({ version }: { readonly version: string }): JSX.Element {
  return (
    <div role="status" class="banner banner-update">
      <Icon name="unknown" />
      <p>{`The worker now runs Millrace ${printable(version)}; this page is of the version before.`}</p>
      <Button onClick={() => location.reload()}>Reload</Button>
    </div>
  );
}
