/** Converts the document of a signal request. */
import { randomUUID } from 'node:crypto';
import type { JsonObject, TaskSignal } from '@millrace/sdk';
import { isDeeperThan, plainValue } from '../json/plain-value';
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
  if (data !== undefined && isDeeperThan(data, MAX_DATA_DEPTH))
    throw new RestError(400, `The "data" of a signal may be nested at most ${MAX_DATA_DEPTH} levels deep`);
  return {
    id: text(members.get('id'), 'id') ?? randomUUID(),
    type,
    data: data === undefined || data.kind === 'null' ? {} : (plainValue(data, Number) as JsonObject),
  };
}

function text(node: JsonNode | undefined, name: string): string | null {
  if (node === undefined || !('text' in node) || node.kind === 'null' || node.text === '') return null;
  if (node.text.length <= MAX_NAME_LENGTH) return node.text;
  throw new RestError(400, `The "${name}" of a signal may have at most ${MAX_NAME_LENGTH} characters`);
}
