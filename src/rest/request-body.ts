/** Reads a request's bytes and turns them into a checked document. Source: connect-rest §0.4, §2.4, Appendix R 12 and 16. */
import type { IncomingMessage } from 'node:http';
import { requestType } from './content-negotiation';
import { checkShape, type PlainJson, type Shape } from './json-shape';
import { parseJson, type JsonNode } from './json-tree';
import { matchedError, RestError } from './rest-error';

/** Far above what fits into a record of the config topic. */
export const MAX_BODY = 10 * 1024 * 1024;

/** Throws RestError 413, 400 when the client goes away. */
export async function readBody(request: IncomingMessage, limit = MAX_BODY): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
    }
  } catch (error) {
    throw new RestError(400, 'The request ended before its body was complete', { cause: error });
  }
  if (size > limit) throw new RestError(413, `The request body is larger than ${limit} bytes`);
  return Buffer.concat(chunks);
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

/** The document of an endpoint that needs one; null for an empty body or JSON `null`. Throws RestError and JsonSyntaxError. */
export async function readDocument(request: IncomingMessage, shape: Shape): Promise<PlainJson> {
  return (await readChecked(request, shape))?.plain ?? null;
}

/** The same with the types of its values; null for an empty body. */
export async function readTree(request: IncomingMessage, shape: Shape): Promise<JsonNode | null> {
  return (await readChecked(request, shape))?.root ?? null;
}

/** Undefined for a body of nothing but whitespace. */
export async function parseDocument(bytes: Buffer, shape: Shape): Promise<PlainJson | undefined> {
  return (await parseChecked(bytes, shape))?.plain;
}

interface CheckedDocument {
  readonly root: JsonNode;
  readonly plain: PlainJson;
}

async function readChecked(request: IncomingMessage, shape: Shape): Promise<CheckedDocument | undefined> {
  const bytes = await readBody(request);
  const type = requestType(request.headers['content-type']);
  // Without a body it does not matter that its type was not said; a type that nobody reads does.
  if (bytes.length === 0 && type === 'absent') return undefined;
  if (type !== 'json') throw matchedError(415);
  if (bytes.length === 0) return undefined;
  return await parseChecked(bytes, shape);
}

async function parseChecked(bytes: Buffer, shape: Shape): Promise<CheckedDocument | undefined> {
  const text = decodeText(bytes);
  const parsed = parseJson(text);
  if (!parsed) return undefined;
  const { root, trailing } = parsed;
  const plain = await checkShape(shape, root, text);
  if (trailing && shape.boundAs !== null) throw trailing(shape.boundAs);
  return { root, plain };
}
