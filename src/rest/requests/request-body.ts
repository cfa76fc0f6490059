/** Turns a request's bytes into a checked document. Source: connect-rest §0.4, §2.4, Appendix R 12 and 16. */
import { setImmediate } from 'node:timers/promises';
import { requestType } from '../http/content-negotiation';
import { checkShape, toPlain, type PlainJson, type Shape } from '../json/shape';
import { MAX_VALUES, parseJson, type JsonNode } from '../json/tree';
import { matchedError, RestError } from '../http/rest-error';
import type { Call } from './route';

/** Bodies that take longer than a moment to read. Bytes. */
const LARGE = 32 * 1024;

let lastTurn: Promise<unknown> = Promise.resolve();

/** Gives each large body a turn of the event loop for itself: many that arrive together would hold it up. */
async function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(async () => await setImmediate());
  await lastTurn;
}

/** UTF-8, or UTF-16 by its byte order mark or its zero bytes. Throws RestError 400. */
export function decodeText(bytes: Buffer): string {
  const [first, second] = bytes;
  let encoding = 'utf-8';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== undefined && second !== 0))
    encoding = 'utf-16be';
  if ((first === 0xff && second === 0xfe) || (first !== undefined && first !== 0 && second === 0))
    encoding = 'utf-16le';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new RestError(400, `The request body is not valid ${encoding.toUpperCase()}`, { cause: error });
  }
}

/**
 * The document of an endpoint that needs one; null for an empty body or JSON `null`. Throws RestError and
 * JsonSyntaxError.
 */
export async function readDocument(call: Call, shape: Shape): Promise<PlainJson> {
  const root = await readTree(call, shape);
  return root && toPlain(root);
}

/** The same with the types of its values; null for an empty body. */
export async function readTree({ request, body }: Call, shape: Shape): Promise<JsonNode | null> {
  const bytes = await body.read();
  const type = requestType(request.headers['content-type']);
  // Without a body it does not matter that its type was not said; a type that nobody reads does.
  if (bytes.length === 0 && type === 'absent') return null;
  if (type !== 'json') throw matchedError(415);
  if (bytes.length > LARGE) await ownTurn();
  return bytes.length === 0 ? null : parseTree(bytes, shape);
}

/** Null for a body of nothing but whitespace. Throws RestError and JsonSyntaxError. */
export function parseTree(bytes: Buffer, shape: Shape, maxValues = MAX_VALUES): JsonNode | null {
  const text = decodeText(bytes);
  const parsed = parseJson(text, maxValues);
  if (!parsed) return null;
  const { root, trailing } = parsed;
  checkShape(shape, root, text);
  if (trailing && shape.boundAs !== null) throw trailing(shape.boundAs);
  return root;
}
