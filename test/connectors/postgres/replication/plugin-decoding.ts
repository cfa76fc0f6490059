/** Runs a decoder on messages recorded from a server, with a catalog in memory. */
import { plainRecord, type Logger, type SourceRecord } from '@millrace/sdk';
import type { Client } from 'pg';
import { parseConfig } from '../../../../connectors/postgres/src/config/postgres-config';
import type { ServerFacts } from '../../../../connectors/postgres/src/database/server';
import { EventFactory } from '../../../../connectors/postgres/src/events/event-factory';
import { Relations } from '../../../../connectors/postgres/src/events/relations';
import { createDecoder } from '../../../../connectors/postgres/src/replication/create-decoder';
import { positionAt, type Position } from '../../../../connectors/postgres/src/replication/position';
import type { ArrivedMessages } from '../../../../connectors/postgres/src/replication/message-source';
import type { Decoded, StreamDecoder } from '../../../../connectors/postgres/src/replication/stream-decoder';
import type { EventCounts } from '../../../../connectors/postgres/src/metrics/event-counts';
import type { Session } from '../../../../connectors/postgres/src/session';

export interface CatalogColumn {
  readonly name: string;
  readonly oid: number;
  readonly type: string;
  readonly typmod?: number;
  readonly isToastable?: boolean;
  /** The first column is. (Default: false) */
  readonly isRequired?: boolean;
}

/** A type that is not among those of `RECORDED`. */
export interface CatalogType {
  readonly oid: number;
  readonly name: string;
  /** Of the element; 0: no array. */
  readonly of: number;
}

/** As in the messages. */
const ENUM = 16386;
/** The table that the messages of test/golden/postgres/output-plugins.json are of; its first column is the key. */
export const RECORDED: readonly CatalogColumn[] = [
  { name: 'id', oid: 23, type: 'integer' },
  { name: 'e', oid: ENUM, type: '"S s"."My E"' },
  { name: 'n', oid: 1700, type: 'numeric(10,2)', typmod: (10 << 16) + 2 + 4, isToastable: true },
  { name: 't', oid: 25, type: 'text', isToastable: true },
  { name: 'b', oid: 17, type: 'bytea', isToastable: true },
  { name: 'f4', oid: 700, type: 'real' },
  { name: 'f8', oid: 701, type: 'double precision' },
  { name: 'i8', oid: 20, type: 'bigint' },
  { name: 'bo', oid: 16, type: 'boolean' },
  { name: 'm', oid: 790, type: 'money' },
  { name: 'd', oid: 1082, type: 'date' },
  { name: 'ti', oid: 1083, type: 'time without time zone' },
  { name: 'tz', oid: 1266, type: 'time with time zone' },
  { name: 'ts', oid: 1114, type: 'timestamp without time zone' },
  { name: 'tt', oid: 1184, type: 'timestamp with time zone' },
  { name: 'p', oid: 600, type: 'point' },
];
const NAMES: Readonly<Record<number, string>> = {
  ...{ 16: 'bool', 17: 'bytea', 20: 'int8', 23: 'int4', 25: 'text', 600: 'point', 700: 'float4', 701: 'float8' },
  ...{ 790: 'money', 1082: 'date', 1083: 'time', 1114: 'timestamp', 1184: 'timestamptz', 1266: 'timetz' },
  ...{ 1700: 'numeric', [ENUM]: 'My E' },
};

/** A table of any name with these columns. */
function catalog(columns: readonly CatalogColumn[], types: readonly CatalogType[], queries: string[]): Client {
  const rowsOf = (sql: string): Record<string, unknown>[] => {
    if (sql.includes('format_type'))
      return columns.map(({ name, oid, type, typmod = -1, isToastable = false }, i) => ({
        ...{ oid: '1', identity: 'd', name, type_oid: String(oid), typmod, type, bare: NAMES[oid] },
        ...{ toastable: isToastable, in_identity: i === 0 },
      }));
    if (sql.includes('RECURSIVE'))
      return [
        ...Object.entries(NAMES).map(([oid, name]) => ({ oid, name, of: 0 })),
        ...types.map((type) => ({ ...type, oid: String(type.oid) })),
      ].map(({ oid, name, of }) => ({
        ...{
          oid,
          schema: 'pg_catalog',
          name,
          kind: Number(oid) === ENUM ? 'e' : 'b',
          is_array: of > 0,
          of: String(of),
        },
        ...{ typmod: -1, labels: ['a', 'b'] },
      }));
    if (sql.includes('array_agg'))
      return [{ oid: '1', is_primary: true, is_identity: false, columns: [columns[0]?.name] }];
    if (sql.includes('pg_attrdef'))
      return columns.map(({ name, oid, typmod = -1, isRequired = false }, i) => ({
        ...{
          oid: '1',
          name,
          type_oid: String(oid),
          typmod,
          not_null: i === 0 || isRequired,
          expression: null,
          generated: false,
        },
      }));
    return [{ oid: '1', schema: 'S s', name: 't.1', identity: 'd', unlogged: false, root: false, row_security: false }];
  };
  const query = async (sql: string): Promise<unknown> => {
    queries.push(sql);
    return { rows: rowsOf(sql), fields: [] };
  };
  return { query } as unknown as Client;
}

const NOTHING_QUEUED = { forEach: () => {} } as unknown as ArrivedMessages;

export class PluginDecoding {
  /** Records per call of the decoder. */
  readonly batches: number[] = [];
  readonly log: string[] = [];
  /** Statements that read the catalog. */
  readonly queries: string[] = [];
  readonly decoder: StreamDecoder;
  readonly counts: EventCounts;
  readonly session: Session;
  readonly client: Client;

  constructor(
    plugin: string,
    {
      columns = RECORDED,
      types = [],
      position = positionAt(1),
      settings = {},
    }: {
      readonly columns?: readonly CatalogColumn[];
      readonly types?: readonly CatalogType[];
      readonly position?: Position;
      readonly settings?: Readonly<Record<string, string>>;
    } = {},
  ) {
    const connection = { 'database.hostname': 'db', 'database.user': 'cdc', 'database.dbname': 'demo' };
    const config = parseConfig({ ...connection, 'topic.prefix': 'f', 'plugin.name': plugin, ...settings });
    const write = (message: string): void => void this.log.push(message);
    const logger: Logger = { error: write, warn: write, info: write, debug: write, trace: write };
    const facts = { version: 150000, currencyDigits: 2 } as ServerFacts;
    const factory = new EventFactory(config, '0');
    this.counts = factory.counts;
    const relations = new Relations(config, facts, logger, factory.counts);
    this.session = { config, logger, factory, relations } as Session;
    this.client = catalog(columns, types, this.queries);
    this.decoder = createDecoder(this.session, position, null);
  }

  /** Decodes messages at positions from `lsn` on, one apart, to their ends. */
  async feed(messages: readonly (string | Buffer)[], lsn?: number): Promise<SourceRecord[]> {
    return (await this.raw(messages, lsn)).map((record) => plainRecord(record));
  }

  /** As `feed`, with rows as the decoder emits them. */
  async raw(messages: readonly (string | Buffer)[], lsn = 100): Promise<SourceRecord[]> {
    const { decoder } = this;
    const fed: SourceRecord[] = [];
    for (const [i, message] of messages.entries()) {
      const body = Buffer.concat([Buffer.alloc(25), Buffer.from(message as Buffer)]);
      body.writeBigUInt64BE(BigInt(lsn + i), 1);
      let decoded: Decoded | null = null;
      for (let left = 1000; decoded !== 'all'; left--) {
        if (left === 0) throw new Error('the message is never decoded');
        const batch: SourceRecord[] = [];
        decoder.out = batch;
        decoded = decoder.message(body, 0, body.length);
        fed.push(...batch);
        this.batches.push(batch.length);
        if (decoded === 'blocked') await decoder.prepare(async () => this.client, NOTHING_QUEUED);
      }
    }
    return fed;
  }
}
