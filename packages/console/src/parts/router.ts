/** The current page, from the address bar's fragment. */
import { useEffect, useState } from 'preact/hooks';
import { formatRoute, parseRoute, type Query, type Route } from './routes';

const listeners = new Set<() => void>();
/** @returns whether the page at `to` may be shown instead of the one at `from` */
type Guard = (from: string, to: string) => boolean;
const guards = new Set<Guard>();

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = (): void => setHash(location.hash);
    const change = ({ oldURL }: HashChangeEvent): void => {
      const from = new URL(oldURL).hash;
      if ([...guards].every((allows) => allows(from, location.hash))) update();
      else history.replaceState(null, '', from);
    };
    addEventListener('hashchange', change);
    listeners.add(update);
    // Between the first rendering and this effect the address may have changed.
    update();
    return () => {
      removeEventListener('hashchange', change);
      listeners.delete(update);
    };
  }, []);
  return parseRoute(hash);
}

/** Asks `allows` before the page changes. @returns ends that */
export function guardRoute(allows: Guard): () => void {
  guards.add(allows);
  return () => {
    guards.delete(allows);
  };
}

export function navigate(route: Route): void {
  location.hash = formatRoute(route);
}

/** Changes the query of the current page, without an entry in the history: typing into a filter is not a page. */
export function replaceQuery(query: Query): void {
  history.replaceState(null, '', formatRoute({ ...parseRoute(location.hash), query }));
  for (const listener of listeners) listener();
}
