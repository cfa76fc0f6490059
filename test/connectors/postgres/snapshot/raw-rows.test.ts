/**
 * Rows of a snapshot that stay bytes until they are converted: whatever the general decoder makes of a row, record by
 * record and byte by byte, is what becomes of its raw row.
 */
import { isRawRow, plainRecord, RawCursor, type SourceRecord } from '@millrace/sdk';
import { JsonConverter } from '../../../../src/converters/json/json-converter';
import type { ReselectConfig } from '../../../../connectors/postgres/src/config/reselect-config';
import { readTables } from '../../../../connectors/postgres/src/database/catalog';
import { Instant } from '../../../../connectors/postgres/src/events/event-context';
import type { TableModel } from '../../../../connectors/postgres/src/events/table-model';
import { SnapshotMarkers, TableRows } from '../../../../connectors/postgres/src/snapshot/snapshot-markers';
import { SnapshotRows } from '../../../../connectors/postgres/src/snapshot/snapshot-rows';
import { fuzzRun, seeded, type Seeded } from '../../../helpers/seeded';
import { compareRecords } from '../compared-records';
import { COLUMNS, TYPES, type Generated } from '../replication/generated-rows';
import { PluginDecoding } from '../replication/plugin-decoding';

const { seed, cases } = fuzzRun('RAW_SNAPSHOT_CASES', 300, 4711);
const ROWS = 60;

/** Without a `performance.now` that passes, both runs read the same clock. */
beforeEach(() => {
  jest.spyOn(performance, 'now').mockReturnValue(1234.5);
});
afterEach(() => jest.restoreAllMocks());

const SETTINGS: readonly (readonly [string, readonly (string | null)[]])[] = [
  ['time.precision.mode', ['adaptive', 'adaptive_time_microseconds', 'connect', 'isostring', 'nanoseconds']],
  ['decimal.handling.mode', ['precise', 'double', 'string']],
  ['binary.handling.mode', ['bytes', 'base64', 'hex']],
  ['event.format', ['3', '1.2']],
  // They hold a random id.
  ['extended.headers.enabled', ['false']],
  ['event.converting.failure.handling.mode', ['skip']],
  ['column.mask.with.3.chars', [null, null, null, '.*\\.text']],
  ['column.truncate.to.2.chars', [null, null, null, '.*\\.varchar']],
  ['column.exclude.list', [null, null, null, '.*\\.jsonb']],
];

type Cell = Buffer | null;

interface Case {
  readonly columns: readonly Generated[];
  readonly settings: Readonly<Record<string, string>>;
  readonly rows: readonly Buffer[];
  readonly xid: number | bigint;
  readonly lsn: number | bigint;
  readonly micros: number;
}

function dataRow(cells: readonly Cell[]): Buffer {
  const parts = cells.map((cell) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(cell === null ? -1 : cell.length);
    return cell === null ? length : Buffer.concat([length, cell]);
  });
  return Buffer.concat([Buffer.from([cells.length >> 8, cells.length & 255]), ...parts]);
}

function makeCase(random: Seeded): Case {
  const settings: Record<string, string> = {};
  for (const [name, values] of SETTINGS) {
    const value = random.one(values);
    if (value !== null) settings[name] = value;
  }
  const id: Generated = { name: random.one(['id', '__proto__']), oid: 23, type: 'integer', text: () => '' };
  const chosen = Array.from({ length: 1 + random.below(9) }, () => random.one(COLUMNS));
  const columns = [id, ...new Set(chosen)].map((one, i) => ({ ...one, isRequired: i === 0 || random.chance(0.3) }));
  const position = random.chance(0.5) ? [Buffer.from('(0,1)')] : [];
  const rows = Array.from({ length: random.below(ROWS) }, (_, key) =>
    dataRow([
      ...columns.map(({ text, isRequired }, i) => {
        if (i === 0) return Buffer.from(String(key));
        return random.chance(isRequired ? 0.002 : 0.1) ? null : Buffer.from(text(random) as string);
      }),
      ...position,
    ]),
  );
  const lsn = random.chance(0.02) ? 2n ** 60n : random.below(2 ** 45);
  const xid = random.chance(0.1) ? 2n ** 60n : random.below(2 ** 32);
  return { columns, settings, rows, lsn, xid, micros: random.below(2 ** 50) };
}

async function read({ columns, settings, rows, xid, lsn, micros }: Case, isGeneral: boolean) {
  const { session, client, log, counts } = new PluginDecoding('pgoutput', { columns, types: TYPES, settings });
  const { factory, relations } = session;
  factory.readClock();
  const models = await relations.load(client, await readTables(client, [1], 150000));
  const [model] = [...models.values()] as [TableModel];
  const time = new Instant();
  time.setMicros(micros);
  const reselect = isGeneral ? ({} as ReselectConfig) : null;
  const context = { time, xid, origin: null, originLsn: null };
  const records = new SnapshotRows({ factory, relations, config: { reselect } }, context, lsn);
  const markers = new SnapshotMarkers(() => ({ lsn: 1 }), { lsn: 2 });
  const [table, out, errors] = [new TableRows(), [] as SourceRecord[], [] as string[]];
  for (const row of rows)
    try {
      markers.row(table, records.record(model, Buffer.concat([Buffer.alloc(5), row]), 5, 5 + row.length), out);
    } catch (error) {
      errors.push((error as Error).message);
    }
  markers.tableEnded(table, out);
  markers.finish(out);
  factory.layout.finish?.(out);
  return { records: out, state: { errors, log, counts: [...counts.all()] } };
}

function converter(withSchemas: boolean): JsonConverter {
  const created = new JsonConverter();
  created.configure({ 'schemas.enable': String(withSchemas) });
  return created;
}
const CONVERTERS = [converter(true), converter(false)];
const cursor = new RawCursor();
const latin1 = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('latin1');

/** Returns how many of the record's structs were written of bytes. */
function checkBytes(raw: SourceRecord, general: SourceRecord): number {
  let written = 0;
  const row = raw.value;
  if (!isRawRow(row)) return written;
  for (const one of CONVERTERS)
    for (const part of ['key', 'value'] as const) {
      const struct = row.shape[part];
      if (struct === null) continue;
      cursor.locate(row);
      const bytes = one.fromRaw(raw.topic, struct, cursor);
      if (bytes === null) continue;
      const found = latin1(bytes);
      const expected = latin1(one.fromConnectData(general.topic, general[`${part}Schema`], general[part]));
      if (found !== expected) expect(found).toBe(expected);
      written++;
    }
  return written;
}

test('the records of raw rows are those of the general decoder', async () => {
  const random = seeded(seed);
  let [raws, compared, written] = [0, 0, 0];
  for (let i = 0; i < cases; i++) {
    const one = makeCase(random);
    const general = await read(one, true);
    const raw = await read(one, false);
    raws += compareRecords(i, raw, general, (...pair) => (written += checkBytes(...pair)));
    compared += general.records.length;
  }
  process.stdout.write(`raw rows of snapshots: ${raws} of ${compared}, ${written} structs were written of bytes\n`);
  expect(raws).toBeGreaterThan(compared * 0.3);
  expect(written).toBe(raws * 4);
}, 120_000);

test('a row that is damaged anywhere is raw only if the general decoder makes the same of it', async () => {
  const columns = COLUMNS.filter(({ name }) => ['i4', 'text', 'n2', 'tt6'].includes(name));
  const whole = dataRow(['12', 'some text', '1.25', '2024-01-02 03:04:05.6+00'].map((text) => Buffer.from(text)));
  const outcome = async (row: Buffer, isGeneral: boolean): Promise<unknown> => {
    const { records, state } = await read({ columns, settings: {}, rows: [row], xid: 1, lsn: 2, micros: 3 }, isGeneral);
    return { records: records.map(({ key, value }) => plainRecord({ key, value })), errors: state.errors };
  };
  for (let at = 0; at < whole.length; at++) {
    const flipped = Buffer.from(whole);
    flipped[at] = (flipped[at] as number) ^ 0x01;
    for (const row of [flipped, whole.subarray(0, at)]) {
      const raw = await outcome(row, false);
      expect(raw).toEqual(await outcome(row, true));
    }
  }
});
