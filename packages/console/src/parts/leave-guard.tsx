/** Asks before changes that are not saved are lost: on another page of the console, or when the tab is closed. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button';
import { Dialog } from './dialog';
import { guardRoute } from './router';
import { parseRoute } from './routes';

/**
 * @param loss what is lost, as a sentence
 * @returns the question, to be rendered; null while there is none
 */
export function useLeaveGuard(isGuarding: boolean, loss: string): JSX.Element | null {
  const [target, setTarget] = useState<string | null>(null);
  const endGuard = useRef<() => void>(() => undefined);
  // At once, before the next click.
  useLayoutEffect(() => {
    if (!isGuarding) return undefined;
    const close = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', close);
    const unguard = guardRoute((from, to) => {
      if (isSamePage(from, to)) return true;
      setTarget(to);
      return false;
    });
    endGuard.current = () => {
      removeEventListener('beforeunload', close);
      unguard();
    };
    return endGuard.current;
  }, [isGuarding]);
  if (target === null || !isGuarding) return null;
  const stay = (): void => setTarget(null);
  const leave = (): void => {
    endGuard.current();
    location.hash = target;
  };
  return (
    <Dialog title="Leave without saving?" onClose={stay}>
      <div class="dialog-body">
        <p>{loss}</p>
      </div>
      <footer class="dialog-foot">
        <Button kind="danger" onClick={leave}>
          Leave, and lose the changes
        </Button>
        <Button kind="primary" onClick={stay}>
          Stay
        </Button>
      </footer>
    </Dialog>
  );
}

function isSamePage(from: string, to: string): boolean {
  const [a, b] = [parseRoute(from), parseRoute(to)];
  return a.page === b.page && a.name === b.name;
}
