/** One connector: info, config, status, deletion. Source: connect-rest §1.5 to §1.10. */
import { configMap, configPatch, withName, withoutNullValues } from '../requests/connector-request';
import { created } from './connectors-router';
import type { RestContext } from './context';
import { connectorInfo, shownConnector, shownConnectorState } from './entities';
import { passThrough } from './forward';
import { CONFIG_MAP } from '../json/shape';
import { readDocument } from '../requests/request-body';
import { checkNameLength, encodeSegment } from '../requests/request-path';
import { noContent, ok, param, type Resource } from '../requests/route';

export function connectorResources(context: RestContext): readonly Resource[] {
  return [
    {
      path: '/connectors/:name',
      methods: {
        GET: async (call) =>
          ok(await shownConnector(context, call, context.herder().connectorInfo(param(call, 'name')))),
        DELETE: (call) => {
          const name = param(call, 'name');
          return context.forward(
            call,
            { path: `/connectors/${encodeSegment(name)}` },
            async () => {
              await context.herder().deleteConnector(name, call.caller.user);
              return noContent;
            },
            passThrough(noContent),
          );
        },
      },
    },
    {
      path: '/connectors/:name/config',
      methods: {
        GET: async (call) =>
          ok((await shownConnector(context, call, context.herder().connectorInfo(param(call, 'name')))).config),
        PUT: async (call) => {
          const name = param(call, 'name');
          checkNameLength(name);
          const sent = withName(name, configMap(await readDocument(call, CONFIG_MAP)));
          context.secrets.requireWhole(sent);
          const config = await withoutNullValues(sent, context.validator);
          return context.forward(
            call,
            { path: `/connectors/${encodeSegment(name)}/config`, body: config },
            async () => {
              const answer = await context.herder().putConnectorConfig(name, config, call.caller.user);
              const info = connectorInfo(answer.info);
              return answer.created ? created(call, name, info) : ok(info);
            },
            ({ status, body }) => (status === 201 ? created(call, name, body) : ok(body)),
          );
        },
        PATCH: async (call) => {
          const name = param(call, 'name');
          const patch = configPatch(await readDocument(call, CONFIG_MAP));
          context.secrets.requireWhole(patch);
          return context.forward(
            call,
            { path: `/connectors/${encodeSegment(name)}/config`, body: patch },
            async () => ok(connectorInfo(await context.herder().patchConnectorConfig(name, patch, call.caller.user))),
            ({ body }) => ok(body),
          );
        },
      },
    },
    {
      path: '/connectors/:name/status',
      methods: {
        GET: async (call) => {
          const state = context.herder().connectorStatus(param(call, 'name'));
          return ok(await shownConnectorState(context, call, state));
        },
      },
    },
  ];
}
