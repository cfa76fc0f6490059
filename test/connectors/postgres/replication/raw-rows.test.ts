/**
 * Rows that stay bytes until they are converted (architecture: "From bytes to bytes"): whatever the general decoder
 * makes of a change, record by record and byte by byte, is what becomes of its raw row.
 */
import { isRawRow, plainRecord, RawCursor, type SourceRecord } from '@millrace/sdk';
import { JsonConverter } from '../../../../src/converters/json/json-converter';
import type { ChangeObserver } from '../../../../connectors/postgres/src/replication/change-observer';
import { fuzzRun, seeded, type Seeded } from '../../../helpers/seeded';
import {
  begin,
  COLUMNS,
  commit,
  insert,
  relation,
  remove,
  TYPES,
  update,
  type Cell,
  type Generated,
} from './generated-rows';
import { compareRecords } from '../compared-records';
import { PluginDecoding } from './plugin-decoding';

/** Changes that are observed are decoded. */
const GENERAL: ChangeObserver = { watches: () => true, changed: () => {}, truncated: () => {} };

const { seed, cases } = fuzzRun('RAW_ROWS_CASES', 300, 20260);
const CHANGES = 100;

beforeEach(() => {
  jest.spyOn(performance, 'now').mockReturnValue(1234.5);
  jest.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000);
});
afterEach(() => jest.restoreAllMocks());

interface Case {
  readonly columns: readonly Generated[];
  readonly settings: Readonly<Record<string, string>>;
  readonly messages: readonly Buffer[];
}

const SETTINGS: readonly (readonly [string, readonly (string | null)[]])[] = [
  [
    'time.precision.mode',
    ['adaptive', 'adaptive_time_microseconds', 'connect', 'isostring', 'microseconds', 'nanoseconds'],
  ],
  ['decimal.handling.mode', ['precise', 'double', 'string']],
  ['binary.handling.mode', ['bytes', 'base64', 'hex']],
  ['event.format', ['3', '1.2']],
  // They hold a random id.
  ['extended.headers.enabled', ['false']],
  ['event.converting.failure.handling.mode', ['skip']],
  ['event.processing.failure.handling.mode', ['ignore']],
  ['field.name.adjustment.mode', [null, null, 'avro_unicode']],
  ['column.mask.with.3.chars', [null, null, null, '.*\\.text']],
  ['column.truncate.to.2.chars', [null, null, null, '.*\\.varchar']],
  ['column.exclude.list', [null, null, null, '.*\\.jsonb']],
  ['skip.messages.without.change', [null, null, 'true']],
  ['skipped.operations', ['none', 'none', 'u']],
  ['message.key.columns', [null, null, '.*:id,text']],
];

function cellOf({ text, isRequired }: Generated, random: Seeded): Cell {
  if (random.chance(isRequired ? 0.002 : 0.1)) return null;
  return Buffer.from(text(random) as string);
}

function makeCase(random: Seeded): Case {
  const settings: Record<string, string> = {};
  for (const [name, values] of SETTINGS) {
    const value = random.one(values);
    if (value !== null) settings[name] = value;
  }
  const id: Generated = {
    name: random.one(['id', 'id', '__proto__', 'änd "x"']),
    oid: 23,
    type: 'integer',
    text: () => '',
  };
  const chosen = Array.from({ length: 1 + random.below(9) }, () => random.one(COLUMNS));
  const columns = [id, ...new Set(chosen)].map((one, i) => ({ ...one, isRequired: i === 0 || random.chance(0.3) }));
  if (
    settings['message.key.columns'] !== undefined &&
    !(id.name === 'id' && columns.some(({ name }) => name === 'text'))
  )
    delete settings['message.key.columns'];
  // The rest of a row has whatever value, if it is cheap to send.
  const row = (key: number): Cell[] =>
    columns.map((one, i) => (i === 0 ? Buffer.from(String(key)) : cellOf(one, random)));
  const messages: Buffer[] = [relation(columns)];
  for (let i = 0; i < CHANGES; i++) {
    if (i % 10 === 0) messages.push(begin(10_000 + i, 700 + i, BigInt(random.below(2 ** 40))));
    messages.push(change(random, row));
    if (i % 10 === 9) messages.push(commit());
  }
  return { columns, settings, messages };
}

function change(random: Seeded, row: (key: number) => Cell[]): Buffer {
  const key = random.below(1000);
  const after = row(key);
  const kind = random.below(10);
  if (kind < 5) return insert(after);
  if (kind === 5) return remove(after, random.one(['K', 'O']));
  if (kind === 6)
    return update(
      after.map((cell, i) => (i > 0 && random.chance(0.1) ? undefined : cell)),
      null,
    );
  if (kind === 7) return update(after, row(random.chance(0.5) ? key : key + 1), random.one(['K', 'O']));
  if (kind === 8) return update(after, random.chance(0.2) ? after : row(key));
  return update(after, null);
}

async function decode({ columns, settings, messages }: Case, isGeneral: boolean) {
  const decoding = new PluginDecoding('pgoutput', { columns, types: TYPES, settings });
  if (isGeneral) decoding.decoder.observer = GENERAL;
  const records = await decoding.raw(messages);
  const { counts, decoder, log } = decoding;
  const { created, updated, deleted } = [...counts.all()][0] ?? {};
  return { records, state: { created, updated, deleted, streamed: counts.streamed, log, last: decoder.lastOffset } };
}

function jsonOf(withSchemas: boolean) {
  return ['key', 'value'].map(() => {
    const converter = new JsonConverter();
    converter.configure({ 'schemas.enable': String(withSchemas) });
    return converter;
  });
}

function bytesOf(converter: JsonConverter | undefined, record: SourceRecord, part: 'key' | 'value'): string {
  const bytes = converter?.fromConnectData(record.topic, record[`${part}Schema`], record[part]);
  return bytes == null ? 'null' : Buffer.from(bytes).toString('latin1');
}

const withSchemas = jsonOf(true);
const without = jsonOf(false);
const cursor = new RawCursor();

function checkBytes(raw: SourceRecord, general: SourceRecord): void {
  const row = raw.value;
  if (!isRawRow(row)) return;
  for (const converters of [withSchemas, without])
    for (const [i, part] of (['key', 'value'] as const).entries()) {
      const struct = row.shape[part];
      if (struct === null) continue;
      cursor.locate(row);
      const bytes = converters[i]?.fromRaw?.(raw.topic, struct, cursor);
      if (bytes == null) continue;
      written++;
      const found = Buffer.from(bytes).toString('latin1');
      const expected = bytesOf(converters[i], general, part);
      if (found !== expected) expect(found).toBe(expected);
    }
}
let written = 0;

test('the records of raw rows are those of the general decoder', async () => {
  const random = seeded(seed);
  let rows = 0;
  let compared = 0;
  for (let i = 0; i < cases; i++) {
    const one = makeCase(random);
    const general = await decode(one, true);
    const raw = await decode(one, false);
    rows += compareRecords(i, raw, general, checkBytes);
    compared += general.records.length;
  }
  process.stdout.write(
    `raw rows: ${rows} of ${compared} records are raw and ${written} structs were written of bytes\n`,
  );
  expect(rows).toBeGreaterThan(compared * 0.3);
  expect(written).toBeGreaterThan(rows);
}, 120_000);

test('a tuple that is damaged anywhere gives what the general decoder gives', async () => {
  const columns = COLUMNS.filter(({ name }) => ['i4', 'text', 'n2', 'tt6'].includes(name));
  const whole = insert(['12', 'some text', '1.25', '2024-01-02 03:04:05.6+00'].map((text) => Buffer.from(text)));
  const outcome = async (message: Buffer, isGeneral: boolean): Promise<unknown> => {
    try {
      const { records } = await decode(
        { columns, settings: {}, messages: [relation(columns), begin(1, 2, 3n), message] },
        isGeneral,
      );
      return records.map(({ key, value }) => ({ key, value })).map((record) => plainRecord(record));
    } catch (error) {
      return (error as Error).message;
    }
  };
  for (let at = 6; at < whole.length; at++) {
    const flipped = Buffer.from(whole);
    flipped[at] = (flipped[at] as number) ^ (at % 2 === 0 ? 0x01 : 0x80);
    // A length that is negative would move the general decoder backwards for ever.
    if (flipped[at - 1] === 0x74 && at % 2 === 1) continue;
    for (const message of [flipped, whole.subarray(0, at)])
      expect(await outcome(message, false)).toEqual(await outcome(message, true));
  }
});
