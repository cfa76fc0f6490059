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
import { FORWARD, noContent, ok, param, type Route } from '../requests/route';

export function offsetRoutes(context: RestContext): readonly Route[] {
  const path = (name: string): string => `/connectors/${encodeSegment(name)}/offsets`;
  return [
    {
      method: 'GET',
      path: '/connectors/:name/offsets',
      role: 'reader',
      doc: {
        id: 'getOffsets',
        summary: "Offsets of a source, or of a sink's consumer group",
        answers: { 200: ['The offsets', 'Offsets'] },
      },
      run: async (call) => {
        const offsets = await context.herder().offsets.list(param(call, 'name'));
        return ok(new JsonText(offsetsJson(offsets)));
      },
    },
    {
      method: 'PATCH',
      path: '/connectors/:name/offsets',
      role: 'admin',
      doc: {
        id: 'alterOffsets',
        summary: 'Alter offsets of a stopped connector',
        query: [FORWARD],
        body: 'Offsets',
        answers: { 200: ['Altered', 'Message'] },
      },
      run: async (call) => {
        const name = param(call, 'name');
        const offsets = offsetsRequest(await readTree(call, CONNECTOR_OFFSETS));
        return context.forward(
          call,
          { path: path(name), body: new JsonText(offsetsJson(offsets)) },
          async () => ok({ message: await context.herder().offsets.alter(name, offsets) }),
          passThrough(noContent),
        );
      },
    },
    {
      method: 'DELETE',
      path: '/connectors/:name/offsets',
      role: 'admin',
      doc: {
        id: 'resetOffsets',
        summary: 'Reset all offsets of a stopped connector',
        query: [FORWARD],
        answers: { 200: ['Reset', 'Message'] },
      },
      run: (call) => {
        const name = param(call, 'name');
        return context.forward(
          call,
          { path: path(name) },
          async () => ok({ message: await context.herder().offsets.reset(name) }),
          passThrough(noContent),
        );
      },
    },
  ];
}
