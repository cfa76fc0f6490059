/** Asks before changes that are not saved are lost: on another page of the console, or when the tab is closed. */
import type { JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Button } from './button';
import { Dialog } from './dialog';
import { parseRoute } from './routes';

/**
 * @param loss what is lost, as a sentence
 * @returns the question, to be rendered; null while there is none
 */
export function useLeaveGuard(isGuarding: boolean, loss: string): JSX.Element | null {
  const [target, setTarget] = useState<string | null>(null);
  // At once, before the next click.
  useLayoutEffect(() => {
    if (!isGuarding) return undefined;
    const close = (event: BeforeUnloadEvent): void => event.preventDefault();
    const leave = (event: HashChangeEvent): void => {
      const from = new URL(event.oldURL).hash;
      const to = new URL(event.newURL).hash;
      if (isSamePage(from, to)) return;
      // Before the router, which would remove the page with the changes.
      event.stopImmediatePropagation();
      history.replaceState(null, '', from);
      setTarget(to);
    };
    addEventListener('beforeunload', close);
    addEventListener('hashchange', leave, true);
    return () => {
      removeEventListener('beforeunload', close);
      removeEventListener('hashchange', leave, true);
    };
  }, [isGuarding]);
  if (target === null || !isGuarding) return null;
  const stay = (): void => setTarget(null);
  return (
    <Dialog title="Leave without saving?" onClose={stay}>
      <div class="dialog-body">
        <p>{loss}</p>
      </div>
      <footer class="dialog-foot">
        <Button kind="primary" onClick={stay}>
          Stay
        </Button>
        <LeaveButton target={target} />
      </footer>
    </Dialog>
  );
}

function LeaveButton({ target }: { readonly target: string }): JSX.Element {
  const leave = (): void => {
    // The guard must not ask again: it reads the address before the change as the one after it.
    history.replaceState(null, '', target);
    dispatchEvent(new HashChangeEvent('hashchange', { oldURL: location.href, newURL: location.href }));
  };
  return (
    <Button kind="danger" onClick={leave}>
      Leave, and lose the changes
    </Button>
  );
}

function isSamePage(from: string, to: string): boolean {
  const [a, b] = [parseRoute(from), parseRoute(to)];
  return a.page === b.page && a.name === b.name;
}
