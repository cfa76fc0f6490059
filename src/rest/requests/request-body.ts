/** Parses and checks a request's document. Source: connect-rest §0.4, §2.4, Appendix R 12 and 16. */
import { setImmediate } from 'node:timers/promises';
import { jsonText } from '../../json/json-text';
import { requestType } from '../http/content-negotiation';
import { checkShape, toPlain, type PlainJson, type Shape } from '../json/shape';
import { MAX_VALUES, parseJson, type JsonNode } from '../json/tree';
import { matchedError, RestError } from '../http/rest-error';
import type { Call } from './route';

/** Size from which parsing a body blocks the event loop noticeably. Bytes. */
const LARGE = 32 * 1024;

let lastTurn: Promise<unknown> = Promise.resolve();

/** Parses at most one large body per turn of the event loop: several at once would block it. */
async function waitForTurn(): Promise<void> {
  lastTurn = lastTurn.then(async () => await setImmediate());
  await lastTurn;
}

/** Throws RestError 400. */
function decodeText(bytes: Buffer): string {
  try {
    return jsonText(bytes);
  } catch (error) {
    throw new RestError(400, `The request body contains ${(error as Error).message}`, { cause: error });
  }
}

/** The request's document. Null for an empty body or JSON `null`. Throws RestError and JsonSyntaxError. */
export async function readDocument(call: Call, shape: Shape): Promise<PlainJson> {
  const root = await readTree(call, shape);
  return root && toPlain(root);
}

/** Like `readDocument`, but keeps the types of values. Null for an empty body. */
export async function readTree({ request, body }: Call, shape: Shape): Promise<JsonNode | null> {
  const bytes = await body.read();
  const type = requestType(request.headers['content-type']);
  // Without a body, a missing Content-Type is accepted, but an unsupported one is not.
  if (bytes.length === 0 && type === 'absent') return null;
  if (type !== 'json') throw matchedError(415);
  if (bytes.length > LARGE) await waitForTurn();
  return bytes.length === 0 ? null : parseTree(bytes, shape);
}

/** Null for a body of only whitespace. Throws RestError and JsonSyntaxError. */
export function parseTree(bytes: Buffer, shape: Shape, maxValues = MAX_VALUES): JsonNode | null {
  const text = decodeText(bytes);
  const parsed = parseJson(text, maxValues);
  if (!parsed) return null;
  const { root, trailing } = parsed;
  checkShape(shape, root, text);
  if (trailing && shape.boundAs !== null) throw trailing(shape.boundAs);
  return root;
}
