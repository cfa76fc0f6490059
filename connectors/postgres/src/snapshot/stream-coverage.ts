/** Of which tables the stream delivers every new version of a row, so that a resumed snapshot may leave it out. */
import type { Client } from 'pg';
import type { CatalogTable } from '../database/catalog';
import { PublicationCoverage } from '../publication/coverage';
import { findPublication, type PublicationMember } from '../publication/state';
import { decodingPlugin } from '../replication/decoding-plugin';
import type { Session } from '../session';

interface StreamCoverage {
  covers(table: CatalogTable): boolean;
  /** Also a table that did not exist when the stream began. */
  readonly includesNew: boolean;
}

const NOTHING: StreamCoverage = { covers: () => false, includesNew: false };

/** Tables that a publication for all tables leaves out (PostgreSQL 19). */
const EXCEPTIONS = `
  SELECT FROM pg_publication p JOIN pg_publication_rel r ON r.prpubid = p.oid
  WHERE p.pubname = $1 AND to_jsonb(r)->>'prexcept' = 'true' LIMIT 1`;

/** Names in `slot.stream.params` that leave out changes. */
const FILTERS = /^(?:origin|publication_names|actions|filter-.*|add-.*)$/i;

/** @param streams whether the snapshot is followed by a stream */
export async function streamCoverage(
  { config, facts }: Pick<Session, 'config' | 'facts'>,
  client: Client,
  streams: boolean,
): Promise<StreamCoverage> {
  const { skipped, publication, slot } = config;
  // An update of the key is also a creation.
  if (!streams || skipped.has('u') || skipped.has('c')) return NOTHING;
  if (slot.streamParams.some(([name]) => FILTERS.test(name))) return NOTHING;
  if (!decodingPlugin(config).usesPublication)
    return { covers: (table) => !table.unlogged && !table.partitionedRoot, includesNew: true };
  const state = await findPublication(client, publication.name, facts.version, 'unread');
  if (!state?.operations.has('insert') || !state.operations.has('update')) return NOTHING;
  if (state.allTables && (await client.query(EXCEPTIONS, [publication.name])).rowCount !== 0) return NOTHING;
  const coverage = new PublicationCoverage(state);
  const members = new Map(state.members.map((member) => [member.oid, member]));
  return {
    covers: (table) => coverage.isPublishedWhole(table) && !isRestricted(table, members.get(table.oid)),
    includesNew: state.allTables,
  };
}

/** Generated columns may be left out: the stream computes none of them. */
function isRestricted({ columns }: CatalogTable, member: PublicationMember | undefined): boolean {
  if (member === undefined) return false;
  if (member.rowFilter !== null) return true;
  const { columns: published } = member;
  return published !== null && columns.some(({ name, generated }) => !generated && !published.includes(name));
}
