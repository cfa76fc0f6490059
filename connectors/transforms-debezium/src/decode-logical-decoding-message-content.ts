/**
 * `io.debezium.connector.postgresql.transforms.DecodeLogicalDecodingMessageContent`: turns a logical decoding message
 * whose content is JSON into an event that EventRouter reads. Source: cdc-postgres §7.13.
 */
import {
  structSchema,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type Schema,
  type Transformation,
  type TransformationPlugin,
} from '@millrace/sdk';
import { JsonPayload } from './outbox/json-payload';
import { flagSetting } from './setting-values';
import { requireStruct, schemaOf, TransformError } from './structs';

const MESSAGE = 'io.debezium.connector.postgresql.MessageValue';
const NULLS = 'fields.null.include';
/** Schemas of contents are few; they are kept up to this number. */
const MANY_SCHEMAS = 1_000;

const MESSAGE_CONFIG: readonly ConfigKey[] = [
  {
    name: NULLS,
    type: 'BOOLEAN',
    default: false,
    importance: 'MEDIUM',
    order: 1,
    width: 'MEDIUM',
    displayName: 'Defines whether to include fields with null values to the decoded structure',
    documentation: 'Whether a null in the JSON becomes a field of type bytes; otherwise it is left out.',
  },
];

class DecodeLogicalDecodingMessageContent implements Transformation {
  private json = payloads(false);
  private schemas = new WeakMap<Schema, Map<Schema, Schema>>();

  configure(config: ConnectorConfig): void {
    this.json = payloads(flagSetting(config, NULLS, false));
    this.schemas = new WeakMap();
  }

  apply<R extends ConnectRecord>(record: R): R {
    const { valueSchema } = record;
    if (valueSchema?.name !== MESSAGE || record.value === null || record.value === undefined) return record;
    const value = requireStruct(valueSchema, record.value, 'Retrieve a record value');
    const block = schemaOf(valueSchema, 'message') ?? null;
    const message = requireStruct(block, value.message, 'Retrieve content of a logical decoding message');
    if (schemaOf(block as Schema, 'content')?.type !== 'BYTES') {
      throw debeziumError('The content of a logical decoding message is non-binary');
    }
    const content = message.content as Buffer | null | undefined;
    const text = content ? Buffer.from(content).toString() : '';
    const expanded = this.json.expand(text);
    if (expanded === null || Array.isArray(expanded.value)) {
      throw debeziumError(`Unable to parse logical decoding message content JSON string '${text.slice(0, 1000)}'`);
    }
    const { message: _, ...kept } = value;
    return {
      ...record,
      keySchema: null,
      key: null,
      valueSchema: this.schema(valueSchema, expanded.schema),
      // As in an insert.
      value: { ...kept, op: 'c', after: expanded.value },
    };
  }

  private schema(of: Schema, content: Schema): Schema {
    let known = this.schemas.get(of);
    if (!known || known.size >= MANY_SCHEMAS) this.schemas.set(of, (known = new Map()));
    let schema = known.get(content);
    if (!schema) {
      const kept = (of.fields ?? []).filter(({ name }) => name !== 'message');
      const fields = kept.map(({ name, schema: field }) => [name, field] as const);
      known.set(content, (schema = structSchema([...fields, ['after', content]], { name: `${MESSAGE}.Envelope` })));
    }
    return schema;
  }
}

function payloads(withNulls: boolean): JsonPayload {
  return new JsonPayload(null, {
    nulls: withNulls ? 'optional_bytes' : 'ignore',
    emptyArrays: 'ignore',
    fieldName: (name) => name,
  });
}

function debeziumError(message: string): TransformError {
  return new TransformError('io.debezium.DebeziumException', message);
}

export const decodeLogicalDecodingMessageContent: TransformationPlugin = {
  type: 'transformation',
  config: MESSAGE_CONFIG,
  create: () => new DecodeLogicalDecodingMessageContent(),
};
