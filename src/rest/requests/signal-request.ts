/** Converts the document of a signal request. */
import { randomUUID } from 'node:crypto';
import { setMember, type JsonObject, type JsonValue, type TaskSignal } from '@millrace/sdk';
import type { JsonNode } from '../json/tree';
import { RestError } from '../http/rest-error';

/** Containers within containers, the data itself included. */
const MAX_DATA_DEPTH = 32;
/** Characters. */
const MAX_NAME_LENGTH = 256;

/** The document has passed `SIGNAL`. A missing id is generated. Throws RestError 400. */
export function signalRequest(document: JsonNode | null): TaskSignal {
  const members = document?.kind === 'object' ? document.members : null;
  if (members === null)
    throw new RestError(400, 'A signal needs a JSON object with "type", and optionally "id" and "data"');
  const type = text(members.get('type'), 'type');
  if (type === null) throw new RestError(400, 'A signal needs a "type", for example execute-snapshot');
  const data = members.get('data');
  return {
    id: text(members.get('id'), 'id') ?? randomUUID(),
    type,
    data: data === undefined || data.kind === 'null' ? {} : (value(data, 1) as JsonObject),
  };
}

function text(node: JsonNode | undefined, name: string): string | null {
  if (node === undefined || !('text' in node) || node.kind === 'null' || node.text === '') return null;
  if (node.text.length <= MAX_NAME_LENGTH) return node.text;
  throw new RestError(400, `The "${name}" of a signal may have at most ${MAX_NAME_LENGTH} characters`);
}

function value(node: JsonNode, depth: number): JsonValue {
  if (depth > MAX_DATA_DEPTH)
    throw new RestError(400, `The "data" of a signal may be nested at most ${MAX_DATA_DEPTH} levels deep`);
  switch (node.kind) {
    case 'object': {
      const object: Record<string, JsonValue> = {};
      for (const [name, member] of node.members) setMember(object, name, value(member, depth + 1));
      return object;
    }
    case 'array':
      return node.items.map((item) => value(item, depth + 1));
    case 'number':
      return Number(node.text);
    case 'boolean':
      return node.text === 'true';
    case 'null':
      return null;
    default:
      return node.text;
  }
}
