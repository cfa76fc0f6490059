/**
 * Checks what `poll` of a source task returned, for the runtime and the test kit. On the hot path: a record costs a few
 * comparisons and no allocation. Converters check whether values fit their schemas.
 */
import { ConnectError } from '../errors';
import type { SourceRecord } from '../record';
import { offsetFault } from './offset-fault';
import { actualKind, isPlainObject, isThenable, pluginFault, type Fault } from './plugin-fault';

const fault = (reason: string): Fault => ({ code: 'SOURCE_RECORD_INVALID', reason });

export class SourceBatchCheck {
  // The last ones found valid: most records share them.
  private sourcePartition: unknown = null;
  private sourceOffset: unknown = null;
  private keySchema: unknown = null;
  private valueSchema: unknown = null;
  private headers: unknown = null;

  /** @param owner in messages: the class of the connector */
  constructor(private readonly owner: string) {}

  /**
   * The batch, or null if there are no records: for null and undefined. Throws ConnectError `POLL_RESULT`,
   * `SOURCE_RECORD_INVALID` or `OFFSET_NOT_PRIMITIVE`, with the record's position in the batch.
   * @param first number of the first record in messages
   */
  check(batch: unknown, first = 0): readonly SourceRecord[] | null {
    if (batch === null || batch === undefined) return null;
    if (!Array.isArray(batch))
      throw pluginFault(
        { code: 'POLL_RESULT' },
        `poll() of ${this.owner}`,
        `returned ${actualKind(batch)}: expected an array of records, or null for none`,
      );
    for (let i = 0; i < batch.length; i++) {
      const found = this.findFault(batch[i]);
      if (found !== null) throw this.error(found, batch[i], first + i);
    }
    return batch as readonly SourceRecord[];
  }

  /** The error for a record of the batch. */
  error({ code, reason }: Fault, record: unknown, number: number): Error {
    const topic = isPlainObject(record) && typeof record.topic === 'string' ? ` (topic ${record.topic})` : '';
    return pluginFault(
      { code, place: { record: number } },
      `poll() of ${this.owner}`,
      `returned an invalid record ${number}${topic}: ${reason}`,
    );
  }

  private findFault(record: unknown): Fault | null {
    if (typeof record !== 'object' || record === null || Array.isArray(record) || isThenable(record))
      return fault(`it is ${actualKind(record)}: expected a record`);
    const { topic, partition, timestamp, key, value, keySchema, valueSchema, headers, sourcePartition, sourceOffset } =
      record as SourceRecord;
    if ((typeof topic !== 'string' || topic === '') && !isLeftOut(record))
      return fault(`topic must be a non-empty string, but is ${topic === '' ? 'empty' : actualKind(topic)}`);
    if (sourcePartition !== this.sourcePartition) {
      const found = offsetFault(sourcePartition, 'sourcePartition');
      if (found !== null) return found;
      this.sourcePartition = sourcePartition;
    }
    if (sourceOffset !== this.sourceOffset) {
      const found = offsetFault(sourceOffset, 'sourceOffset');
      if (found !== null) return found;
      this.sourceOffset = sourceOffset;
    }
    if (keySchema !== this.keySchema) {
      if (!isSchema(keySchema)) return schemaFault('keySchema', keySchema);
      this.keySchema = keySchema;
    }
    if (valueSchema !== this.valueSchema) {
      if (!isSchema(valueSchema)) return schemaFault('valueSchema', valueSchema);
      this.valueSchema = valueSchema;
    }
    if (isThenable(key)) return promiseFault('key');
    if (isThenable(value)) return promiseFault('value');
    if (partition !== null && partition !== undefined && !(Number.isInteger(partition) && partition >= 0))
      return fault(
        `partition is ${typeof partition === 'number' ? partition : actualKind(partition)}: expected a whole number of 0 or more, or null`,
      );
    if (timestamp !== null && timestamp !== undefined && !(Number.isSafeInteger(timestamp) && timestamp >= -1))
      return fault(
        `timestamp ${typeof timestamp === 'number' ? timestamp : `(${actualKind(timestamp)})`} is invalid: expected a whole number of milliseconds since the epoch, or null`,
      );
    if (headers !== this.headers && headers !== undefined) {
      const found = headersFault(headers);
      if (found !== null) return found;
      this.headers = headers;
    }
    return null;
  }
}

/** It is filtered or has failed: its topic has no meaning. */
function isLeftOut(record: object): boolean {
  return ((record as { outcome?: unknown }).outcome ?? null) !== null;
}

function isSchema(schema: unknown): boolean {
  return schema === null || (typeof schema === 'object' && typeof (schema as { type?: unknown }).type === 'string');
}

function schemaFault(name: string, schema: unknown): Fault {
  if (schema === undefined) return fault(`${name} is missing: use null for none`);
  return fault(`${name} is ${actualKind(schema)}: expected a schema, or null`);
}

function promiseFault(name: string): Fault {
  return fault(`${name} is a Promise: await it before poll() returns`);
}

function headersFault(headers: unknown): Fault | null {
  if (headers === null) return null;
  if (!Array.isArray(headers))
    return fault(`headers is ${actualKind(headers)}: expected an array of { key, schema, value }, or null`);
  for (const [i, header] of headers.entries()) {
    if (!isPlainObject(header)) return fault(`headers[${i}] is ${actualKind(header)}: expected { key, schema, value }`);
    const { key, schema, value } = header;
    if (typeof key !== 'string') return fault(`headers[${i}].key is ${actualKind(key)}: expected a string`);
    if (!isSchema(schema)) return schemaFault(`headers[${i}].schema`, schema);
    if (isThenable(value)) return promiseFault(`headers[${i}].value`);
  }
  return null;
}

const TOPIC_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/;

/** Throws ConnectError `TOPIC_NAME_INVALID` for a name that Kafka does not accept. */
export function checkTopicName(topic: string): void {
  if (TOPIC_NAME.test(topic)) return;
  throw new ConnectError(
    `${JSON.stringify(topic.slice(0, 300))} is not a valid topic name: use 1 to 249 letters, digits, dots, underscores and dashes, or rename the topic with a transformation.`,
    { code: 'TOPIC_NAME_INVALID' },
  );
}
