/**
 * The cluster's own interface: management, queries, streaming and queued ingestion by REST. Sources: analytics-sink
 * §5.4, §5.9, §5.10.
 */
import { randomUUID } from 'node:crypto';
import express, { type Request, type Response, type Router } from 'express';
import type { CommandContext } from '../commands/context';
import { runCommand } from '../commands/run-command';
import { runSelection, runSql, type Selection } from '../engine/run-selection';
import { sqlTable, type TableEntry } from '../engine/catalog';
import { quoteName } from '../engine/sql-names';
import type { Faults } from '../faults';
import type { Ingestor } from '../ingest/ingestor';
import { badRequest, KustoError } from '../kusto-error';
import { pipeline, print } from '../language/query';
import { Reader } from '../language/reader';
import { replyJson } from '../reply-json';
import { textTable, v1QueryReply, v1Reply, v2Reply, type ResultTable } from '../engine/result-table';
import { QueuedOperations } from './queued-operations';
import { jsonBody, readBody, route, withFaults } from './requests';

export interface ServiceContext extends CommandContext {
  readonly faults: Faults;
  readonly ingestor: Ingestor;
}

const STREAMING_LIMIT = 4 * 1024 * 1024;

interface QueryRequest {
  readonly database: string;
  readonly text: string;
  readonly options: Readonly<Record<string, unknown>>;
}

export function serviceRoutes(context: ServiceContext): Router {
  const router = express.Router();
  const { faults } = context;

  router.post(
    '/v1/rest/mgmt',
    jsonBody,
    withFaults(faults, 'mgmt'),
    route(async (request, response) => {
      const { database, text } = queryRequest(request.body);
      send(response, v1Reply(await runCommand(context, text, database)));
    }),
  );

  const query = async (given: QueryRequest): Promise<ResultTable> => await runQuery(context, given);
  const fromUrl = (request: Request): QueryRequest => queryRequest(request.query);
  for (const [path, reply] of [
    ['/v1/rest/query', v1QueryReply],
    ['/v2/rest/query', v2Reply],
  ] as const) {
    router.post(
      path,
      jsonBody,
      withFaults(faults, 'query'),
      route(async (request, response) => {
        send(response, reply(await query(queryRequest(request.body))));
      }),
    );
    router.get(
      path,
      withFaults(faults, 'query'),
      route(async (request, response) => {
        send(response, reply(await query(fromUrl(request))));
      }),
    );
  }

  router.post(
    '/v1/rest/ingest/:database/:table',
    withFaults(faults, 'streaming'),
    route(async (request, response) => {
      const rows = await stream(context, request);
      send(response, v1Reply(textTable(['ConsumedRecordsCount', 'UpdatePolicyStatus'], [[rows, 'Inactive']])));
    }),
  );

  const operations = new QueuedOperations(context);
  router.get(
    '/v1/rest/ingestion/configuration',
    withFaults(faults, 'ingestion'),
    route(async (_request, response) => {
      response.json(await operations.configuration());
    }),
  );
  router.post(
    '/v1/rest/ingestion/queued/:database/:table',
    jsonBody,
    withFaults(faults, 'ingestion'),
    route(async (request, response) => {
      const { database, table } = request.params as { database: string; table: string };
      response.json(operations.begin(database, table, request.body));
    }),
  );
  router.get(
    '/v1/rest/ingestion/queued/:database/:table/:operation',
    withFaults(faults, 'ingestion'),
    route(async (request, response) => {
      response.json(operations.status(String(request.params.operation), request.query.details === 'true'));
    }),
  );
  return router;
}

function send(response: Response, reply: object): void {
  response.type('application/json').send(replyJson(reply));
}

function queryRequest(body: unknown): QueryRequest {
  const { db, csl, properties } = (body ?? {}) as Record<string, unknown>;
  if (typeof csl !== 'string') throw badRequest(`The request has no 'csl'`);
  const parsed: unknown = typeof properties === 'string' ? parseProperties(properties) : properties;
  const options = (parsed as { Options?: Record<string, unknown> } | undefined)?.Options ?? {};
  return { database: typeof db === 'string' ? db : '', text: csl, options };
}

function parseProperties(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw badRequest(`'properties' is not JSON`);
  }
}

async function runQuery(context: ServiceContext, { database, text, options }: QueryRequest): Promise<ResultTable> {
  if (options.query_language === 'sql') return await runSql(context.database, text);
  if (text.trim().startsWith('.')) return await runCommand(context, text, database);
  const reader = new Reader(text);
  const selection = reader.skip('print')
    ? pipeline(reader, print(reader))
    : pipeline(reader, from(context.catalog.table(database, reader.name())));
  if (options.validate_permissions === true || options.validate_permissions === 'true')
    return textTable(['Result'], [['OK']]);
  return await runSelection(context.database, selection);
}

function from(table: TableEntry): Selection {
  const names = table.columns.map(({ name }) => quoteName(name)).join(', ');
  return { sql: `SELECT ${names} FROM ${sqlTable(table)}`, columns: table.columns };
}

async function stream({ catalog, loader }: ServiceContext, request: Request): Promise<number> {
  const { database, table } = request.params as { database: string; table: string };
  const entry = catalog.table(database, table);
  const policies = [`${entry.database}/${entry.name}`, entry.database].map((scope) =>
    catalog.policy(scope, 'streamingingestion'),
  );
  const policy = policies.find((text) => text !== null);
  if (!policy || (JSON.parse(policy) as { IsEnabled?: boolean }).IsEnabled === false)
    throw new KustoError(
      'BadRequest_StreamingIngestionPolicyNotEnabled',
      `The streaming ingestion policy of table '${table}' is not enabled`,
    );
  const { streamFormat, mappingName, sourceKind } = request.query;
  const body = await readBody(request, STREAMING_LIMIT);
  const data = sourceKind === 'uri' ? await downloadSource(body) : body;
  return await loader.load({
    database,
    table,
    format: String(streamFormat ?? 'csv'),
    data,
    properties: typeof mappingName === 'string' && mappingName !== '' ? { mappingReference: mappingName } : {},
    source: { id: randomUUID(), path: '', tags: [] },
  });
}

async function downloadSource(body: Buffer): Promise<Buffer> {
  let uri: unknown;
  try {
    uri = (JSON.parse(body.toString('utf8')) as { sourceUri?: unknown }).sourceUri;
  } catch {
    uri = undefined;
  }
  if (typeof uri !== 'string') throw badRequest(`The body has no 'sourceUri'`);
  const response = await fetch(uri);
  if (!response.ok) throw new KustoError('Download_Forbidden', `The blob could not be read: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
