/** Row level security: policies hide rows from queries, but not from the stream. */
import { ConnectError } from '@millrace/sdk';
import { qualified, type CatalogTable } from './catalog';
import { quoteIdentifier } from './identifiers';

/** @param tables not empty, with `rowSecurity` */
export function hiddenRows(tables: readonly CatalogTable[], user: string): ConnectError {
  const place = { table: tables.map(qualified).join(', ') };
  return new ConnectError(hiddenRowsProblem(tables, user), { code: 'PG_ROW_SECURITY', place });
}

export function hiddenRowsProblem(tables: readonly CatalogTable[], user: string): string {
  return `Row level security hides rows of ${tables.map(qualified).join(', ')} from role "${user}", so that a snapshot would lack them. As a superuser, run ${bypass(user)}`;
}

export function bypass(user: string): string {
  return `ALTER ROLE ${quoteIdentifier(user)} BYPASSRLS;`;
}
