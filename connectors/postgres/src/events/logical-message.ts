/** Logical decoding messages as records (cdc-postgres §2.6 g). */
import { schema, structSchema, type Schema, type SourceOffset, type SourceRecord } from '@millrace/sdk';
import type { PostgresConfig } from '../config/postgres-config';
import type { Lsn } from '../database/lsn';
import { binaryValue } from '../values/bytes';
import type { EventContext } from './event-context';
import type { EventFactory } from './event-factory';
import type { Struct } from './struct';

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

  /** @param transaction block, if it is part of a transaction whose events are counted */
  record(
    prefix: string,
    content: Buffer,
    context: EventContext,
    lsn: Lsn,
    lastCommit: Lsn | null,
    transaction: Struct | null,
    offset: SourceOffset,
  ): SourceRecord {
    const { factory, config } = this;
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
        message: { prefix, content: binaryValue(content, config.values.binary) },
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
