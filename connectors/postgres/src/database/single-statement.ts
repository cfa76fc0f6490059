/** SQL that contains text of a signal. */
import type { QueryConfig } from 'pg';

/**
 * A query in the extended protocol, in which the server accepts one statement only: text of a signal cannot end the
 * statement and begin another.
 */
export function singleStatement(text: string): QueryConfig {
  // The types of pg lack `queryMode`.
  const query: QueryConfig & { readonly queryMode: 'extended' } = { text, queryMode: 'extended' };
  return query;
}
