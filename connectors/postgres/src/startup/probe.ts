/**
 * Checks during validation that need the server. Each error contains the statement that fixes it (cdc-postgres §1.10).
 */
import { type ConfigProblem, startTimer } from '@millrace/sdk';
import type { Client } from 'pg';
import { qualified } from '../database/catalog';
import { closeConnection, openConnection } from '../database/connection';
import { errorText } from '../database/errors';
import { findTables, readTables, snapshotTables, tableFilter, type CatalogTable } from '../database/catalog';
import { hiddenRowsProblem } from '../database/row-security';
import { readServerFacts, replicationProblem } from '../database/server';
import { decodingPlugin } from '../replication/decoding-plugin';
import { encodingProblem, pluginError, withPlugin } from '../replication/installed-plugin';
import { PublicationCoverage } from '../publication/coverage';
import { addition, planPublication, publishable } from '../publication/plan';
import { findPublication } from '../publication/state';
import { findSlot, checkSlot } from '../replication/slot';
import { grants, noTableProblem, partlyHidden, unreadable } from './start';
import type { PostgresConfig } from '../config/postgres-config';
import { KEY } from '../config/definitions';
import { invalid } from '../config/problem';
import { slotParts } from '../config/slot-part';

/** @param nameOf maps a key to its name in the connector config */
export async function probe(config: PostgresConfig, nameOf: (key: string) => string): Promise<ConfigProblem[]> {
  const host = nameOf(KEY.databaseHostname);
  const { validationTimeoutMs: limitMs, connectTimeoutMs } = config.connection;
  let client: Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<ConfigProblem[]>((resolve) => {
    timer = startTimer(() => {
      resolve([invalid(host, `Connection validation timed out after ${limitMs} ms`)]);
    }, limitMs);
  });
  const answer = async (): Promise<ConfigProblem[]> => {
    try {
      ({ client } = await openConnection(config.connection, 'Validate Connection'));
      return await checkServer(client, config, nameOf);
    } catch (error) {
      if (/timeout expired/.test(errorText(error)))
        return [invalid(host, `Connection validation timed out after ${Math.min(limitMs, connectTimeoutMs)} ms`)];
      return [invalid(host, `Error while validating connector config: ${errorText(error)}`)];
    }
  };
  try {
    return await Promise.race([answer(), timeout]);
  } finally {
    clearTimeout(timer);
    await closeConnection(client);
  }
}

async function checkServer(
  client: Client,
  config: PostgresConfig,
  nameOf: (key: string) => string,
): Promise<ConfigProblem[]> {
  const facts = await readServerFacts(client);
  const streams = config.snapshot.policy.stream;
  const server = streams ? replicationProblem(facts) : null;
  if (server !== null) {
    const key = server.code === 'PG_ROLE_REPLICATION' ? KEY.databaseUser : KEY.databaseHostname;
    return [invalid(nameOf(key), server.message)];
  }
  const problems: ConfigProblem[] = [];
  const found = await findTables(client, config.filters);
  // A stream captures tables that are created later.
  const missing = streams ? null : noTableProblem(config, found);
  if (missing !== null) return [invalid(nameOf(KEY.tableIncludeList), missing)];
  const oids = found.map((table) => table.oid);
  const tables = await readTables(client, oids, facts.version);
  for (const given of streams ? slotParts(config) : []) {
    const slot = await findSlot(client, given.slot.name);
    const part = await withPlugin(client, given, slot?.plugin ?? null);
    try {
      if (slot !== null) checkSlot(slot, part);
    } catch (error) {
      problems.push(invalid(nameOf(KEY.slotName), errorText(error)));
    }
    const plugin = await pluginProblem(client, part, slot !== null);
    if (plugin !== null) problems.push(invalid(nameOf(KEY.pluginName), plugin));
    if (decodingPlugin(part).usesPublication) {
      const owned = tables.filter(tableFilter(part.filters));
      const found = await publicationProblems(client, part, owned, facts.version);
      problems.push(...found.map((message) => invalid(nameOf(KEY.publicationName), message)));
    }
  }
  // Statements that are not run here may set another role.
  if (config.snapshot.policy.initially && config.connection.initialStatements.length === 0) {
    const denied = await unreadable(client, snapshotTables(tables, config.filters));
    if (denied.length > 0)
      problems.push(
        invalid(
          nameOf(KEY.databaseUser),
          `permission denied for table ${denied.map(qualified).join(', ')}. Run ${grants(denied, facts.user).join(' ')}`,
        ),
      );
    const hidden = partlyHidden(config, tables);
    if (hidden.length > 0) problems.push(invalid(nameOf(KEY.databaseUser), hiddenRowsProblem(hidden, facts.user)));
  }
  return problems;
}

async function pluginProblem(client: Client, config: PostgresConfig, slotExists: boolean): Promise<string | null> {
  const { slotPlugin } = decodingPlugin(config);
  // Every server has pgoutput.
  if (slotPlugin === 'pgoutput') return null;
  const error = slotExists ? null : await pluginError(client, config);
  if (error !== null) return error.message;
  return await encodingProblem(client, config);
}

async function publicationProblems(
  client: Client,
  config: PostgresConfig,
  tables: readonly CatalogTable[],
  serverVersion: number,
): Promise<string[]> {
  const problems: string[] = [];
  const { mode, name } = config.publication;
  const publication = await findPublication(client, name, serverVersion);
  try {
    planPublication(config, publication, tables, serverVersion);
  } catch (error) {
    problems.push(errorText(error));
  }
  if (publication === null || config.filters.tableInclude === null || mode === 'no_tables' || mode === 'filtered')
    return problems;
  const { absent } = new PublicationCoverage(publication).gaps(
    publishable(tables, serverVersion).filter(({ unlogged }) => !unlogged),
  );
  if (absent.length > 0)
    problems.push(
      `Publication "${name}" does not contain ${absent.map(qualified).join(', ')}. Run ${addition(name, absent)};`,
    );
  return problems;
}
