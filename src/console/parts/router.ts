/** The current page, from the address bar's fragment. */
import { useEffect, useState } from 'preact/hooks';
import { formatRoute, parseRoute, type Query, type Route } from './routes';

const listeners = new Set<() => void>();

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = (): void => setHash(location.hash);
    addEventListener('hashchange', update);
    listeners.add(update);
    // Between the first rendering and this effect the address may have changed.
    update();
    return () => {
      removeEventListener('hashchange', update);
      listeners.delete(update);
    };
  }, []);
  return parseRoute(hash);
}

export function navigate(route: Route): void {
  location.hash = formatRoute(route);
}

/** Changes the query of the current page, without an entry in the history: typing into a filter is not a page. */
export function replaceQuery(query: Query): void {
  history.replaceState(null, '', formatRoute({ ...parseRoute(location.hash), query }));
  for (const listener of listeners) listener();
}
