/**
 * Offsets of a connector. They can be read in any state, but altered and reset only while it is stopped. Source:
 * connect-rest §1.18.
 */
import { Float64, offsetsJson, type JsonObject, type PartitionOffset } from '../../cluster/connector-offsets';
import type { RestContext } from './context';
import { passThrough } from './forward';
import { RestError } from '../http/rest-error';
import { JsonText } from '../json/encode';
import { plainValue } from '../json/plain-value';
import { CONNECTOR_OFFSETS } from '../json/shape';
import type { JsonNode } from '../json/tree';
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

/**
 * The offsets of the document of an alter request, which has passed `CONNECTOR_OFFSETS`; null: no document. Keeps
 * integers and floats apart. Throws RestError. Source: connect-rest §2.3, Appendix R 10.
 */
function offsetsRequest(document: JsonNode | null): PartitionOffset[] {
  if (document === null || document.kind === 'null')
    throw new RestError(
      500,
      'Cannot invoke "org.apache.kafka.connect.runtime.rest.entities.ConnectorOffsets.offsets()" because "offsets" is null',
    );
  const offsets = document.kind === 'object' ? document.members.get('offsets') : undefined;
  const entries = offsets?.kind === 'array' ? offsets.items : [];
  if (entries.length === 0)
    throw new RestError(400, 'Partitions / offsets need to be provided for an alter offsets request');
  return entries.map((entry) => {
    if (entry.kind !== 'object') throw new RestError(400, 'The entries of an alter offsets request may not be null');
    return { partition: map(entry.members.get('partition')), offset: map(entry.members.get('offset')) };
  });
}

function map(node: JsonNode | undefined): JsonObject | null {
  return node === undefined || node.kind === 'null' ? null : (plainValue(node, number) as JsonObject);
}

/** `1` is an integer and `1.0` is not, as in Java. */
function number(text: string): number | bigint | Float64 {
  const found = Number(text);
  if (!/^-?[0-9]+$/.test(text)) return Number.isInteger(found) ? new Float64(found) : found;
  return Number.isSafeInteger(found) ? found : BigInt(text);
}
