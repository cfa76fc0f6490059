/**
 * Converts the document of an alter request to offsets, and keeps integers and floats apart. Source: connect-rest
 * §1.18, §2.3, Appendix R 10.
 */
import { Float64, type JsonObject, type PartitionOffset } from '../../cluster/connector-offsets';
import { plainValue } from '../json/plain-value';
import type { JsonNode } from '../json/tree';
import { RestError } from '../http/rest-error';

/** The document has passed `CONNECTOR_OFFSETS`. Null: no document. Throws RestError. */
export function offsetsRequest(document: JsonNode | null): PartitionOffset[] {
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
