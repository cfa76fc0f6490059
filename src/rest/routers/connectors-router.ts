/** Lists and creates connectors. Source: connect-rest §1.3, §1.4. */
import type { ConnectorInfo, ConnectorStateInfo } from '../../cluster/entities';
import { createRequest, withoutNullValues } from '../requests/connector-request';
import type { RestContext } from './context';
import { connectorInfo, ifKnown, shownConnector, shownConnectorState } from './entities';
import { CREATE_REQUEST } from '../json/shape';
import { readDocument } from '../requests/request-body';
import { encodeSegment } from '../requests/request-path';
import { ok, type Call, type Reply, type Resource } from '../requests/route';

/** 201 with the connector's `Location` on the worker that received the request. */
export function created(call: Call, name: string, body: unknown): Reply {
  return { status: 201, body, headers: { Location: `${call.base}/connectors/${encodeSegment(name)}` } };
}

async function expanded(
  context: RestContext,
  call: Call,
  expansions: readonly string[],
): Promise<Record<string, Record<string, unknown>>> {
  const herder = context.herder();
  const wanted = new Set(expansions.filter((value) => value === 'status' || value === 'info'));
  const shownIfKnown = async (read: () => ConnectorInfo): Promise<ConnectorInfo | null> => {
    const info = ifKnown(read);
    return info && (await shownConnector(context, call, info));
  };
  const stateIfKnown = async (name: string): Promise<ConnectorStateInfo | null> => {
    const state = ifKnown(() => herder.connectorStatus(name));
    return state && (await shownConnectorState(context, call, state));
  };
  const rows: [string, Record<string, unknown>][] = [];
  for (const name of herder.connectors()) {
    const row: Record<string, unknown> = {};
    for (const part of wanted) {
      row[part] = part === 'status' ? await stateIfKnown(name) : await shownIfKnown(() => herder.connectorInfo(name));
    }
    // A connector without a status is omitted.
    if (!('status' in row) || row.status !== null) rows.push([name, row]);
  }
  return Object.fromEntries(rows);
}

export function connectorsResources(context: RestContext): readonly Resource[] {
  return [
    {
      path: '/connectors',
      methods: {
        GET: async (call) =>
          ok(
            call.query.has('expand')
              ? await expanded(context, call, call.query.getAll('expand'))
              : context.herder().connectors(),
          ),
        POST: async (call) => {
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
              const info = await context.herder().createConnector(name, config, initialState, call.caller.user);
              return created(call, name, connectorInfo(info));
            },
            ({ body }) => created(call, name, body as ConnectorInfo),
          );
        },
      },
    },
  ];
}
