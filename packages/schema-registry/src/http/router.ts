/** Finds the route of a request by its method and path. */

export interface RouteRequest {
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The object of the body; empty without one. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What is answered: a value as JSON. */
export type Handler = (request: RouteRequest) => unknown;

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:NAME` is a parameter. */
  readonly path: string;
  readonly run: Handler;
}

export interface Match {
  readonly run: Handler;
  readonly params: Readonly<Record<string, string>>;
}

export type RouteFinder = (method: string, path: string) => Match | 'no path' | 'no method';

export function routeFinder(routes: readonly Route[]): RouteFinder {
  const split = routes.map((route) => ({ ...route, parts: partsOf(route.path) }));
  return (method, path) => {
    const parts = partsOf(path);
    let outcome: 'no path' | 'no method' = 'no path';
    for (const route of split) {
      const params = paramsOf(route.parts, parts);
      if (params === null) continue;
      if (route.method === method) return { run: route.run, params };
      outcome = 'no method';
    }
    return outcome;
  };
}

const partsOf = (path: string): readonly string[] => path.replace(/\/$/, '').split('/').slice(1);

/** Null: the path does not match. */
function paramsOf(expected: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (expected.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [i, name] of expected.entries()) {
    const part = parts[i] ?? '';
    if (!name.startsWith(':')) {
      if (name !== part) return null;
      continue;
    }
    try {
      params[name.slice(1)] = decodeURIComponent(part);
    } catch {
      return null;
    }
  }
  return params;
}
