/** Connectors: list, creation, info, config, status, deletion. Source: connect-rest §1.3 to §1.10. */
import type { ConnectorInfo, ConnectorRecord, ConnectorStateInfo } from '../../cluster/entities';
import type { ReportedGroup } from '../health/group-health';
import { healthJson } from '../health/health-json';
import { CONFIG_MAP, CREATE_REQUEST } from '../json/shape';
import { configMap, configPatch, createRequest, withName, withoutNullValues } from '../requests/connector-request';
import { readDocument } from '../requests/request-body';
import { checkNameLength, encodeSegment } from '../requests/request-path';
import { authorizationOf, FORWARD, noContent, ok, param, type Call, type Reply, type Route } from '../requests/route';
import type { RestContext } from './context';
import { connectorInfo, ifKnown, shownConnector, shownConnectorState } from './entities';
import { passThrough } from './forward';

const info = (description: string) => [description, 'ConnectorInfo'] as const;

/** 201 with the connector's `Location` on the worker that received the request. */
function created(call: Call, name: string, body: unknown): Reply {
  return { status: 201, body, headers: { Location: `${call.base}/connectors/${encodeSegment(name)}` } };
}

async function expanded(
  context: RestContext,
  call: Call,
  expansions: readonly string[],
): Promise<Record<string, Record<string, unknown>>> {
  const herder = context.herder();
  const wanted = new Set(expansions.filter((value) => value === 'status' || value === 'info' || value === 'health'));
  const group = wanted.has('health') ? await context.health.group(authorizationOf(call)) : null;
  const shownIfKnown = async (read: () => ConnectorInfo): Promise<ConnectorInfo | null> => {
    const found = ifKnown(read);
    return found && (await shownConnector(context, call, found));
  };
  const stateIfKnown = async (name: string): Promise<ConnectorStateInfo | null> => {
    const state = ifKnown(() => herder.reads.connectorStatus(name));
    return state && (await shownConnectorState(context, call, state));
  };
  const partOf = async (part: string, name: string): Promise<unknown> => {
    if (part === 'status') return await stateIfKnown(name);
    if (part === 'info') return await shownIfKnown(() => herder.reads.connectorInfo(name));
    const record = ifKnown(() => herder.reads.record(name));
    return record && group && (await shownHealth(context, record, group));
  };
  const rows: [string, Record<string, unknown>][] = [];
  for (const name of herder.reads.connectors()) {
    const row: Record<string, unknown> = {};
    for (const part of wanted) row[part] = await partOf(part, name);
    // A connector without a status is omitted.
    if (!('status' in row) || row.status !== null) rows.push([name, row]);
  }
  return Object.fromEntries(rows);
}

async function shownHealth({ health }: RestContext, record: ConnectorRecord, group: ReportedGroup): Promise<unknown> {
  const row = await health.row(record, group);
  return healthJson(row, health.runtime(record, row, group));
}

export function connectorRoutes(context: RestContext): readonly Route[] {
  const shown = async (call: Call): Promise<ConnectorInfo> =>
    await shownConnector(context, call, context.herder().reads.connectorInfo(param(call, 'name')));
  return [
    {
      method: 'GET',
      path: '/connectors',
      role: 'reader',
      doc: {
        id: 'listConnectors',
        summary: 'All connectors',
        query: [
          {
            name: 'expand',
            description: '`status`, `info` or `health`: return these details instead of names.',
            repeated: true,
          },
        ],
        answers: { 200: ['Names, or an object with details by name', 'Connectors'] },
      },
      run: async (call) =>
        ok(
          call.query.has('expand')
            ? await expanded(context, call, call.query.getAll('expand'))
            : context.herder().reads.connectors(),
        ),
    },
    {
      method: 'POST',
      path: '/connectors',
      role: 'admin',
      doc: {
        id: 'createConnector',
        summary: 'Create a connector',
        query: [FORWARD],
        body: 'CreateConnector',
        answers: { 201: info('The connector is stored. Its status shows when it runs') },
      },
      run: async (call) => {
        const request = createRequest(await readDocument(call, CREATE_REQUEST));
        call.audited.connector = request.name;
        context.secrets.requireWhole(request.config);
        const config = await withoutNullValues(request.config, context.validator);
        const { name, initialState } = request;
        return context.forward(
          call,
          {
            path: '/connectors',
            body: { name, config, initial_state: initialState === 'STARTED' ? 'RUNNING' : initialState },
          },
          async () => {
            const answer = await context.herder().writes.createConnector(name, config, initialState, call.caller.user);
            return created(call, name, connectorInfo(answer));
          },
          ({ body }) => created(call, name, body as ConnectorInfo),
        );
      },
    },
    {
      method: 'GET',
      path: '/connectors/:name',
      role: 'reader',
      doc: { id: 'getConnector', summary: 'One connector', answers: { 200: info('The connector') } },
      run: async (call) => ok(await shown(call)),
    },
    {
      method: 'GET',
      path: '/connectors/:name/health',
      role: 'reader',
      doc: {
        id: 'getConnectorHealth',
        summary: 'Whether a connector works: its states, connections, failed records and lag',
        answers: { 200: ['Its health, with reasons and what to do', 'ConnectorHealth'] },
      },
      run: async (call) => {
        const record = (): ConnectorRecord => context.herder().reads.record(param(call, 'name'));
        record();
        const group = await context.health.group(authorizationOf(call));
        return ok(await shownHealth(context, record(), group));
      },
    },
    {
      method: 'DELETE',
      path: '/connectors/:name',
      role: 'admin',
      doc: {
        id: 'deleteConnector',
        summary: 'Delete a connector. Its offsets are kept',
        query: [FORWARD],
        answers: { 204: ['Deleted', null] },
      },
      run: (call) => {
        const name = param(call, 'name');
        return context.forward(
          call,
          { path: `/connectors/${encodeSegment(name)}` },
          async () => {
            await context.herder().writes.deleteConnector(name, call.caller.user);
            return noContent;
          },
          passThrough(noContent),
        );
      },
    },
    {
      method: 'GET',
      path: '/connectors/:name/config',
      role: 'reader',
      doc: {
        id: 'getConnectorConfig',
        summary: 'Config of a connector, as it was sent; callers that are not admins see `[hidden]` instead of secrets',
        answers: { 200: ['The config', 'Config'] },
      },
      run: async (call) => ok((await shown(call)).config),
    },
    {
      method: 'PUT',
      path: '/connectors/:name/config',
      role: 'admin',
      doc: {
        id: 'putConnectorConfig',
        summary: 'Create a connector or replace its config',
        query: [FORWARD],
        body: 'GivenConfig',
        answers: { 200: info('Replaced'), 201: info('Created') },
      },
      run: async (call) => {
        const name = param(call, 'name');
        checkNameLength(name);
        const sent = withName(name, configMap(await readDocument(call, CONFIG_MAP)));
        context.secrets.requireWhole(sent);
        const config = await withoutNullValues(sent, context.validator);
        return context.forward(
          call,
          { path: `/connectors/${encodeSegment(name)}/config`, body: config },
          async () => {
            const answer = await context.herder().writes.putConnectorConfig(name, config, call.caller.user);
            const body = connectorInfo(answer.info);
            return answer.created ? created(call, name, body) : ok(body);
          },
          ({ status, body }) => (status === 201 ? created(call, name, body) : ok(body)),
        );
      },
    },
    {
      method: 'PATCH',
      path: '/connectors/:name/config',
      role: 'admin',
      doc: {
        id: 'patchConnectorConfig',
        summary: 'Change keys of a connector config',
        query: [FORWARD],
        body: 'ConfigPatch',
        answers: { 200: info('Changed') },
      },
      run: async (call) => {
        const name = param(call, 'name');
        const patch = configPatch(await readDocument(call, CONFIG_MAP));
        context.secrets.requireWhole(patch);
        return context.forward(
          call,
          { path: `/connectors/${encodeSegment(name)}/config`, body: patch },
          async () =>
            ok(connectorInfo(await context.herder().writes.patchConnectorConfig(name, patch, call.caller.user))),
          ({ body }) => ok(body),
        );
      },
    },
    {
      method: 'GET',
      path: '/connectors/:name/status',
      role: 'reader',
      doc: {
        id: 'getConnectorStatus',
        summary: 'Status of a connector and its tasks',
        answers: { 200: ['The status', 'ConnectorState'] },
      },
      run: async (call) => {
        const state = context.herder().reads.connectorStatus(param(call, 'name'));
        return ok(await shownConnectorState(context, call, state));
      },
    },
  ];
}
