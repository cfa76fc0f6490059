import type { Client } from 'pg';

/**
 * Sums and counts of the rows that decide what a publication publishes: any change of a table's name or existence, of
 * the publication and of what it contains yields another text. Takes no locks of tables.
 */
export async function lastChange(client: Client, publication: string, serverVersion: number): Promise<string> {
  const sum = (from: string): string => `(SELECT count(*) || ' ' || coalesce(sum(x.xmin::text::int8), 0) FROM ${from})`;
  const parts = [
    sum("pg_class x WHERE x.relkind IN ('r', 'p') AND x.relpersistence <> 't'"),
    sum('pg_namespace x'),
    sum('pg_publication x WHERE x.pubname = $1'),
    sum('pg_publication_rel x JOIN pg_publication p ON p.oid = x.prpubid WHERE p.pubname = $1'),
    ...(serverVersion >= 150000
      ? [sum('pg_publication_namespace x JOIN pg_publication p ON p.oid = x.pnpubid WHERE p.pubname = $1')]
      : []),
  ];
  const { rows } = await client.query<{ mark: string }>(`SELECT concat_ws(' ', ${parts.join(', ')}) AS mark`, [
    publication,
  ]);
  return rows[0]?.mark ?? '';
}
