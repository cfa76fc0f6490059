/** What Java's JsonConverter writes with schemas. */
import type { Data } from './event-record';

const START = '{"schema":';
/** Not within a text, whose quotes are escaped, nor a name within a schema before the schema's end. */
const BETWEEN = ',"payload":';

/** The texts of schema and payload. */
export function dataOf(bytes: unknown): Data {
  if (bytes === null || bytes === undefined) return [null, null];
  if (!(bytes instanceof Uint8Array)) throw new Error(`not bytes: ${String(bytes)}`);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  const at = text.indexOf(BETWEEN);
  if (!text.startsWith(START) || at === -1 || !text.endsWith('}'))
    throw new Error(`not an envelope with a schema: ${text.slice(0, 200)}`);
  const schema = text.slice(START.length, at);
  return [schema === 'null' ? null : schema, text.slice(at + BETWEEN.length, -1)];
}
