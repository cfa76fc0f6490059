/** The comparison with Confluent's AvroConverter detects what differs, and explains only what is documented. */
import { inspect } from 'node:util';
import { arraySchema, mapSchema, schema, structSchema } from '@millrace/sdk';
import avro from 'avsc';
import { encode } from '../../../dev/avro-converter/avro-node';
import { compareCase, type AskedConverter } from '../../../dev/avro-converter/comparison';
import { explain, EXPLANATIONS } from '../../../dev/avro-converter/explained-differences';
import type { Case, ReadCase, WriteCase } from '../../../dev/avro-converter/cases';
import type { ReadAnswer, WriteAnswer } from '../../../dev/avro-converter/java-converter';
import { ownRead, ownWrite } from '../../../dev/avro-converter/own-converter';
import { shrink } from '../../../dev/avro-converter/shrink';
import { caseOf } from '../../../dev/avro-converter/tally';
import { page } from '../../helpers/compatibility-page';

const STRUCT = structSchema([
  ['id', schema('INT32')],
  ['tags', mapSchema(schema('STRING'), schema('INT64'), { optional: true })],
]);
const WRITE: WriteCase = {
  kind: 'write',
  settings: {},
  isKey: false,
  schema: STRUCT,
  value: { id: 1, tags: new Map([['a', 2]]) },
};
const READ: ReadCase = {
  kind: 'read',
  settings: {},
  isKey: false,
  avro: { type: 'record', name: 'a.R', fields: [{ name: 'x', type: ['null', 'string'] }] },
  value: [{ branch: 1, value: 'text' }],
};

/** Answers as Millrace does, but for what is changed. */
function judge(one: Case, change: (answer: WriteAnswer & ReadAnswer) => object = () => ({})): AskedConverter {
  const { settings, isKey } = one;
  return {
    write: async () => {
      const { schema: of, value } = one as WriteCase;
      const written = ownWrite(settings, isKey, of, value);
      const again = ownRead(settings, isKey, written.avro as string, written.bytes as string);
      const answer = { ...written, again: { schema: again.schema, value: again.value } };
      return { ...answer, ...change(answer as WriteAnswer & ReadAnswer) };
    },
    read: async ({ avro: text, bytes }) => {
      const { data, ...read } = ownRead(settings, isKey, text, bytes);
      const answer = { ...read, ...(data && { again: ownWrite(settings, isKey, data.schema, data.value) }) };
      return { ...answer, ...change(answer as WriteAnswer & ReadAnswer) };
    },
  };
}

const paths = async (one: Case, change?: (answer: WriteAnswer & ReadAnswer) => object): Promise<string[]> =>
  (await compareCase(judge(one, change), one)).differences.map(({ path }) => path);

test.each<[string, Case]>([
  ['to write', WRITE],
  ['to read', READ],
])('equal answers of a case %s have no differences', async (_, one) => {
  expect(await paths(one)).toEqual([]);
});

test.each<[string, Case, (answer: WriteAnswer & ReadAnswer) => object, string]>([
  ['a byte', WRITE, ({ bytes }) => ({ bytes: `${bytes?.slice(0, -2)}02` }), 'written.bytes'],
  ['a tombstone', WRITE, () => ({ bytes: null }), 'written.bytes'],
  ['a name', WRITE, ({ avro: text }) => ({ avro: text?.replace('"id"', '"no"') }), 'written.avro.fields.name'],
  ['the order of members', WRITE, ({ avro: text }) => ({ avro: reversed(text) }), 'written.avro.order'],
  [
    'the form of a number',
    WRITE,
    ({ avro: text }) => ({ avro: text?.replace('"type"', ' "type"') }),
    'written.avro.text',
  ],
  ['a refusal', WRITE, () => ({ error: ['DataException: no'] }), 'written.error'],
  ['a refusal to read', READ, () => ({ error: ['DataException: no'] }), 'read.error'],
  [
    'what is read',
    WRITE,
    ({ again }) => ({ again: { ...again, value: ['struct', [['i32', '2'], null]] } }),
    'read.value',
  ],
  ['a value', READ, () => ({ value: ['struct', ['other']] }), 'read.value'],
  ['a schema', READ, ({ schema: of }) => ({ schema: { ...of, version: 7 } }), 'read.schema.version'],
  ['what is written again', READ, ({ again }) => ({ again: { ...again, bytes: '00' } }), 'rewritten.bytes'],
])('%s is a difference, and is not explained', async (_, one, change, path) => {
  const { differences } = await compareCase(judge(one, change), one);
  expect(differences.map((difference) => difference.path)).toContain(path);
  expect(differences.every((difference) => explain(difference, one, differences) === null)).toBe(true);
});

test('two refusals are the same, but not an accident of ours', async () => {
  const refused: WriteCase = { ...WRITE, value: { id: 'text', tags: null } };
  const java: AskedConverter = { ...judge(WRITE), write: async () => ({ error: ['DataException: its own words'] }) };
  expect(await compareCase(java, refused)).toEqual({ isInvalid: false, isRefused: true, differences: [] });
  let reads = 0;
  const value = {
    tags: null,
    get id(): number {
      // The first one makes the question.
      if (++reads > 1) throw new TypeError('an accident');
      return 1;
    },
  };
  const found = await compareCase(java, { ...WRITE, value });
  expect(found.differences).toEqual([expect.objectContaining({ path: 'written.error' })]);
});

test('every explanation is on the compatibility page', () => {
  expect(EXPLANATIONS.map(({ why }) => why).filter((why) => !page.includes(`| ${why} |`))).toEqual([]);
});

test('the bytes to read are those of avsc', () => {
  let compared = 0;
  for (let seed = 1; compared < 200; seed++) {
    const one = caseOf(seed);
    // avsc has no such longs, and does not accept names twice or defaults of other forms.
    if (one.kind !== 'read' || /\dn\b/.test(inspect(one.value, { depth: null }))) continue;
    const type = typeOf(one.avro);
    if (type === null) continue;
    const bytes = encode(one.avro, one.value);
    expect(type.isValid(type.fromBuffer(bytes))).toBe(true);
    compared++;
  }
});

test('a case is made smaller as long as it shows the same', async () => {
  const large: WriteCase = {
    ...WRITE,
    settings: { 'connect.meta.data': 'false' },
    schema: structSchema(
      [
        ['a', schema('STRING', { doc: 'doc', optional: true })],
        [
          'list',
          arraySchema(
            structSchema([
              ['in', schema('INT8', { name: 'N' })],
              ['out', STRUCT],
            ]),
          ),
        ],
      ],
      { name: 'Large' },
    ),
    value: {
      a: 'x',
      list: [
        { in: 1, out: WRITE.value },
        { in: 2, out: WRITE.value },
      ],
    },
  };
  const hasInt8 = (one: Case): boolean => JSON.stringify((one as WriteCase).schema).includes('INT8');
  expect(await shrink(large, async (smaller) => hasInt8(smaller))).toMatchObject({
    settings: {},
    schema: { type: 'INT8', name: null, fields: null },
    value: 1,
  });
});

function reversed(text = '{}'): string {
  return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text) as object).reverse()));
}

function typeOf(node: unknown): avro.Type | null {
  try {
    return avro.Type.forSchema(node as avro.Schema, { wrapUnions: true });
  } catch {
    return null;
  }
}
