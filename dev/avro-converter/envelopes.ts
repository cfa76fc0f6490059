/** Change events of every PostgreSQL type, from Millrace's source, written by both converters. */
import { isRawRow, plainRecord, RawCursor, type Schema, type SourceRecord } from '@millrace/sdk';
import { Client } from 'pg';
import { seeded } from '../../test/helpers/seeded';
import { OwnTask } from '../debezium/own-task';
import { PREPARATION, Workload } from '../debezium/workload';
import { waitFor } from '../services/wait-for';
import type { WriteCase } from './cases';
import { compareCase } from './comparison';
import type { JavaConverter, Settings } from './java-converter';
import { ownWrite, ownWriteRaw } from './own-converter';
import type { Tally } from './tally';

export interface EnvelopeOptions {
  /** For a superuser. */
  readonly serverUrl: string;
  readonly database: string;
  readonly seed: number;
  /** Of the source. */
  readonly modes: Settings;
  /** Of the converters. */
  readonly settings: Settings;
  readonly changes: number;
}

const MARKER = 'zz_marker';
const ROWS_OF_SNAPSHOT = 3;

/**
 * Adds the keys and values of a snapshot and of changes to the tally. Resolves with the number of those that were also
 * written without their plain values.
 */
export async function compareEnvelopes(java: JavaConverter, tally: Tally, options: EnvelopeOptions): Promise<number> {
  const { serverUrl, database, seed } = options;
  const admin = new Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${database}`);
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  const client = new Client({ connectionString: url.toString() });
  client.on('error', () => undefined);
  await client.connect();
  const asked: Promise<void>[] = [];
  const cursor = new RawCursor();
  let raws = 0;
  const task = new OwnTask((record) => {
    for (const one of casesOf(record, options.settings, cursor)) {
      if (one.raw !== null) raws++;
      asked.push(compareCase(java, one.case).then((found) => tally.add(one.case, withRaw(one, found), seed)));
    }
  });
  try {
    const random = seeded(seed);
    const workload = new Workload(random, options.modes['time.precision.mode'] === 'nanoseconds');
    for (const sql of [PREPARATION, `CREATE TABLE ${MARKER} (id integer PRIMARY KEY)`, ...workload.create()])
      await client.query(sql);
    for (const sql of workload.fill(ROWS_OF_SNAPSHOT)) await client.query(sql);
    await task.start(sourceConfig(url, database, options.modes));
    await caughtUp(client, task, 1);
    for (let i = 0; i < options.changes; i++) await client.query(workload.change());
    await caughtUp(client, task, 2);
    await Promise.all(asked);
    return raws;
  } finally {
    await task.stop();
    await client.end();
    await admin.query(`SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = $1`, [
      database,
    ]);
    await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await admin.end();
  }
}

function sourceConfig(url: URL, database: string, modes: Settings): Record<string, string> {
  return {
    'connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
    'database.hostname': url.hostname,
    'database.port': url.port,
    'database.user': decodeURIComponent(url.username),
    'database.password': decodeURIComponent(url.password),
    'database.dbname': database,
    'plugin.name': 'pgoutput',
    'topic.prefix': 'compared',
    'slot.name': `${database}_slot`,
    'poll.interval.ms': '10',
    'event.incomplete.key.handling': 'debezium',
    ...modes,
  };
}

async function caughtUp(client: Client, task: OwnTask, marker: number): Promise<void> {
  await client.query(`INSERT INTO ${MARKER} VALUES (${marker})`);
  await waitFor(
    'the source to return the marker',
    () => {
      if (task.failure !== null) throw new Error(task.failure);
      const last = task.records.at(-1);
      return last?.topic.endsWith(`.${MARKER}`) === true && last.key[1] === `{"id":${marker}}`;
    },
    { everyMs: 5, detail: () => task.logged() },
  );
}

interface Asked {
  readonly case: WriteCase;
  /** Bytes that were made without the plain value; null: there is no such way. */
  readonly raw: string | null;
}

function casesOf(record: SourceRecord, settings: Settings, cursor: RawCursor): Asked[] {
  const { value } = record;
  const plain = plainRecord(record);
  if (isRawRow(value)) cursor.locate(value);
  const one = (isKey: boolean, schema: Schema | null, of: unknown): Asked => {
    const struct = isRawRow(value) ? (isKey ? value.shape.key : value.shape.value) : null;
    const raw = schema !== null && struct ? ownWriteRaw(settings, isKey, struct, cursor) : null;
    return { case: { kind: 'write', settings, isKey, schema, value: of }, raw };
  };
  const out = [one(false, record.valueSchema, plain.value)];
  if (record.keySchema !== null) out.push(one(true, record.keySchema, plain.key));
  return out;
}

function withRaw<T extends Awaited<ReturnType<typeof compareCase>>>({ case: one, raw }: Asked, found: T): T {
  if (raw === null) return found;
  const { bytes } = ownWrite(one.settings, one.isKey, one.schema, one.value);
  if (raw === bytes) return found;
  return { ...found, differences: [...found.differences, { path: 'raw.bytes', java: bytes, own: raw }] };
}
