/**
 * Offsets of a connector. They can be read in any state, but altered and reset only while it is stopped. Source:
 * connect-rest §1.18.
 */
import { offsetsJson } from '../../cluster/connector-offsets';
import type { RestContext } from './context';
import { passThrough } from './forward';
import { JsonText } from '../json/encode';
import { CONNECTOR_OFFSETS } from '../json/shape';
import { offsetsRequest } from '../requests/offsets-request';
import { readTree } from '../requests/request-body';
import { encodeSegment } from '../requests/request-path';
import { noContent, ok, param, type Resource } from '../requests/route';

export function offsetsResources(context: RestContext): readonly Resource[] {
  const path = (name: string): string => `/connectors/${encodeSegment(name)}/offsets`;
  return [
    {
      path: '/connectors/:name/offsets',
      methods: {
        GET: async (call) => {
          const offsets = await context.herder().connectorOffsets(param(call, 'name'));
          return ok(new JsonText(offsetsJson(offsets)));
        },
        PATCH: async (call) => {
          const name = param(call, 'name');
          const offsets = offsetsRequest(await readTree(call, CONNECTOR_OFFSETS));
          return context.forward(
            call,
            { path: path(name), body: new JsonText(offsetsJson(offsets)) },
            async () => ok({ message: await context.herder().alterConnectorOffsets(name, offsets) }),
            passThrough(noContent),
          );
        },
        DELETE: (call) => {
          const name = param(call, 'name');
          return context.forward(
            call,
            { path: path(name) },
            async () => ok({ message: await context.herder().resetConnectorOffsets(name) }),
            passThrough(noContent),
          );
        },
      },
    },
  ];
}
