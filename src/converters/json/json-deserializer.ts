/**
 * JSON bytes → Connect data. Consecutive envelopes of a topic mostly have the same schema half, which is then
 * recognized by its bytes instead of parsed.
 */
import { ConfigError, DataError, type Schema, type SchemaAndValue } from '@millrace/sdk';
import { jsonText, utf8Text } from '../../json/json-text';
import type { JsonSettings } from './config';
import { readPayload } from './payload-reader';
import { readSchema } from './schema-reader';
import { expectShallow, notJson, parseTree, plain } from './record-tree';

const SCHEMA_FIRST = '{"schema":';
const PAYLOAD_NEXT = ',"payload":';
const DECIMAL = 'org.apache.kafka.connect.data.Decimal';

/** `{"schema":…,"payload":` as bytes, and the schema it describes. */
interface Head {
  readonly bytes: Buffer;
  readonly schema: Schema | null;
  /** Decimals may be written as numbers whose digits matter. */
  readonly exact: boolean;
}

export class JsonDeserializer {
  private readonly schemas: LruMap<string, Schema>;
  private readonly heads: LruMap<string, Head>;
  /** The configured schema of all records (`schema.content`). */
  private readonly configuredSchema: Schema | null;
  private readonly exact: boolean;

  /** Throws ConfigError when `schemaContent` is not a schema. */
  constructor(private readonly settings: JsonSettings) {
    this.configuredSchema =
      settings.schemasEnable && settings.schemaContent !== null ? parseConfiguredSchema(settings.schemaContent) : null;
    this.exact = settings.schemaContent?.includes(DECIMAL) ?? false;
    this.schemas = new LruMap(settings.cacheSize);
    this.heads = new LruMap(settings.cacheSize);
  }

  deserialize(topic: string, bytes: Uint8Array): SchemaAndValue {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (!this.settings.schemasEnable) {
      return { schema: null, value: plain(parseTree(textOf(buffer, topic), topic), topic) };
    }
    if (this.configuredSchema) {
      const tree = parseTree(textOf(buffer, topic), topic, { exact: this.exact });
      return { schema: this.configuredSchema, value: this.payload(topic, this.configuredSchema, tree) };
    }
    return this.repeated(topic, buffer) ?? this.envelope(topic, textOf(buffer, topic));
  }

  /**
   * Fast path for a record with the same head as the topic's last one. Null for another head, or when the rest is not
   * one JSON value.
   */
  private repeated(topic: string, buffer: Buffer): SchemaAndValue | null {
    const head = this.heads.get(topic);
    if (!head || buffer.length <= head.bytes.length || buffer[buffer.length - 1] !== 0x7d) return null;
    if (buffer.compare(head.bytes, 0, head.bytes.length, 0, head.bytes.length) !== 0) return null;
    let tree: unknown;
    try {
      const text = utf8Text(buffer, head.bytes.length, buffer.length - 1);
      tree = parseTree(text, topic, { exact: head.exact, whole: true });
    } catch {
      return null;
    }
    return { schema: head.schema, value: this.payload(topic, head.schema, tree) };
  }

  private envelope(topic: string, text: string): SchemaAndValue {
    const exact = text.includes(DECIMAL);
    const tree = parseTree(text, topic, { exact });
    if (!isEnvelope(tree)) {
      throw new DataError(
        'JsonConverter with schemas.enable requires "schema" and "payload" fields and may not contain additional fields. ' +
          'If you are trying to deserialize plain JSON data, set schemas.enable=false in your converter configuration.',
        { code: 'CONVERTER_JSON_ENVELOPE', place: { topic } },
      );
    }
    const schema = this.schema(topic, tree.schema);
    this.remember(topic, text, schema, exact);
    return { schema, value: this.payload(topic, schema, tree.payload) };
  }

  private payload(topic: string, schema: Schema | null, tree: unknown): unknown {
    return schema === null ? plain(tree, topic) : readPayload(schema, tree, this.settings.replaceNullWithDefault);
  }

  /** Equal schema texts give the same object, so that sinks can compare by identity. */
  private schema(topic: string, tree: unknown): Schema | null {
    expectShallow(tree, topic);
    const key = JSON.stringify(tree);
    const known = this.schemas.get(key);
    if (known) return known;
    const schema = readSchema(tree);
    if (schema) this.schemas.set(key, schema);
    return schema;
  }

  private remember(topic: string, text: string, schema: Schema | null, exact: boolean): void {
    if (!text.startsWith(SCHEMA_FIRST)) return;
    const end = valueEnd(text, SCHEMA_FIRST.length);
    if (!text.startsWith(PAYLOAD_NEXT, end)) return;
    this.heads.set(topic, { bytes: Buffer.from(text.slice(0, end + PAYLOAD_NEXT.length)), schema, exact });
  }
}

function textOf(buffer: Buffer, topic: string): string {
  try {
    return jsonText(buffer);
  } catch (error) {
    throw notJson(error as Error, topic);
  }
}

function parseConfiguredSchema(content: string): Schema | null {
  try {
    return readSchema(parseTree(content, ''));
  } catch (cause) {
    throw new ConfigError('The converter setting "schema.content" must be a schema in JSON.', {
      code: 'CONVERTER_SCHEMA_CONTENT',
      cause,
    });
  }
}

function isEnvelope(tree: unknown): tree is { schema: unknown; payload: unknown } {
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) return false;
  const keys = Object.keys(tree);
  return keys.length === 2 && keys.includes('schema') && keys.includes('payload');
}

/** Index after the object (or `null`) that starts at `start` in text known to be JSON. */
function valueEnd(text: string, start: number): number {
  if (text[start] !== '{') return start + 4;
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const c = text[i];
    if (c === '"') {
      for (i++; text[i] !== '"'; i++) if (text[i] === '\\') i++;
    } else if (c === '{') depth++;
    else if (c === '}' && --depth === 0) return i + 1;
  }
  return text.length;
}

/** A map that evicts the least recently used entry. */
class LruMap<K, V> {
  private readonly map = new Map<K, V>();
  private newest: K | undefined;
  constructor(private readonly limit: number) {}

  get(key: K): V | undefined {
    const value = this.map.get(key);
    if (value !== undefined && key !== this.newest) this.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.map.delete(key);
    this.map.set(key, value);
    this.newest = key;
    if (this.map.size > this.limit) this.map.delete(this.map.keys().next().value as K);
  }
}
