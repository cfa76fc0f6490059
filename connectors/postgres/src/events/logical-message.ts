/** Logical decoding messages as records (cdc-postgres §2.6 g). */
import { ConnectError, schema, structSchema, type Schema, type SourceOffset, type SourceRecord } from '@millrace/sdk';
import type { PostgresConfig } from '../config/postgres-config';
import type { Lsn } from '../database/lsn';
import { binaryValue } from '../values/bytes';
import { isTooLongText, MAX_TEXT_LENGTH } from '../values/too-long-text';
import type { EventContext, Struct } from './event-context';
import type { EventFactory } from './event-factory';

const NO_TABLE = { schema: '', name: '' };

export class LogicalMessages {
  /** Their name in transaction metadata, and their topic. */
  readonly collection: string;
  private readonly value: Schema;

  constructor(
    private readonly config: PostgresConfig,
    private readonly factory: EventFactory,
  ) {
    this.collection = `${config.prefix}.message`;
    this.value = valueSchema(factory, config.values.binary !== 'bytes');
  }

  /** Whether this task publishes it, and the lists of prefixes leave it in. */
  captures(prefix: string): boolean {
    const { stream, part } = this.config;
    // They belong to no table, so each of several slots has them all.
    if (part !== null && part.number !== 0) return false;
    const { include, exclude } = stream.messages;
    return include === null ? !(exclude?.matches(prefix) ?? false) : include.matches(prefix);
  }

  /** Throws ConnectError `PG_DECODE` for bytes whose text form is too long. */
  contentOf(prefix: string, bytes: Buffer): Buffer | string {
    const { binary } = this.config.values;
    try {
      return binaryValue(bytes, binary);
    } catch (cause) {
      if (!isTooLongText(cause)) throw cause;
      throw new ConnectError(
        `A logical decoding message with the prefix "${prefix}" has ${bytes.length} bytes, whose text form has more than ${MAX_TEXT_LENGTH} characters with binary.handling.mode=${binary}. Leave it out with message.prefix.exclude.list, or set binary.handling.mode=bytes.`,
        { code: 'PG_DECODE', cause },
      );
    }
  }

  /**
   * @param content see `contentOf`
   * @param transaction block, if it is part of a transaction whose events are counted
   */
  record(
    prefix: string,
    content: Buffer | string,
    context: EventContext,
    lsn: Lsn,
    lastCommit: Lsn | null,
    transaction: Struct | null,
    offset: SourceOffset,
  ): SourceRecord {
    const { factory } = this;
    factory.counts.messages++;
    return {
      sourcePartition: factory.partition,
      sourceOffset: offset,
      topic: this.collection,
      partition: null,
      keySchema: KEY,
      key: { prefix },
      valueSchema: this.value,
      value: {
        op: 'm',
        ts_ms: Date.now(),
        source: factory.source(NO_TABLE, context, 'false', lsn, lastCommit),
        transaction,
        message: { prefix, content },
      },
      timestamp: null,
      headers: null,
    };
  }
}

const NAME = 'io.debezium.connector.postgresql.Message';
const optionalString = schema('STRING', { optional: true });
const KEY = structSchema([['prefix', optionalString]], { name: `${NAME}Key`, version: 1 });

function valueSchema({ layout }: EventFactory, isText: boolean): Schema {
  const message = structSchema(
    [
      ['prefix', optionalString],
      ['content', isText ? optionalString : schema('BYTES', { optional: true })],
    ],
    { name: NAME, version: 1 },
  );
  return structSchema(
    [
      ['op', schema('STRING')],
      ['ts_ms', schema('INT64', { optional: true })],
      ['source', layout.sourceSchema],
      ['transaction', layout.transactionSchema],
      ['message', message],
    ],
    { name: `${NAME}Value`, version: 1 },
  );
}
