/** Addresses of the console's pages, kept in the fragment: `#/connectors/orders?tab=config`. */
export type Page =
  'overview' | 'connector' | 'topology' | 'create' | 'plugins' | 'workers' | 'loggers' | 'changes' | 'unknown';
export type Query = Readonly<Record<string, string>>;

export interface Route {
  readonly page: Page;
  /** Of the connector, on its page. */
  readonly name?: string;
  readonly query?: Query;
}

const PATHS: Readonly<Record<string, Page>> = {
  '': 'overview',
  topology: 'topology',
  create: 'create',
  plugins: 'plugins',
  workers: 'workers',
  loggers: 'loggers',
  changes: 'changes',
};

export function parseRoute(hash: string): Route {
  const [path = '', ...rest] = hash.replace(/^#?\/?/, '').split('?');
  const query = Object.fromEntries(new URLSearchParams(rest.join('?')));
  const [first = '', ...others] = path.split('/');
  if (first === 'connectors' && others.length > 0) {
    const name = decoded(others.join('/'));
    return name === null || name === '' ? { page: 'unknown', query } : { page: 'connector', name, query };
  }
  const page = others.every((part) => part === '') && Object.hasOwn(PATHS, first) ? PATHS[first] : undefined;
  return { page: page ?? 'unknown', query };
}

/** Empty values of the query are left out. */
export function formatRoute({ page, name = '', query = {} }: Route): string {
  const path = page === 'connector' ? `connectors/${encoded(name)}` : page === 'overview' ? '' : page;
  const pairs = Object.entries(query).filter(([, value]) => value !== '');
  return `#/${path}${pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`}`;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** `encodeURIComponent` throws on half of a surrogate pair, which a name may contain. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\u{FFFD}'));
}
