/**
 * Avro's rules against the answers of Confluent's registry client 7.7.0, recorded from its classes: what it prints for
 * a schema (null: it is refused), its normal form, and what it finds between two schemas.
 * `test/conformance/java/schema-registry-avro.test.ts` asks it about generated schemas.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { avroFormat } from '../../../packages/schema-registry/src/avro/avro-format';
import { InvalidSchema } from '../../../packages/schema-registry/src/registry-error';

type Case = { readonly answer: string | readonly string[] | null } & (
  | { readonly op: 'print' | 'normalize'; readonly schema: string }
  | { readonly op: 'compare'; readonly reader: string; readonly writer: string }
);

const FILE = join(__dirname, '..', '..', 'golden', 'schema-registry', 'avro-answers.json');
const cases = JSON.parse(readFileSync(FILE, 'utf8')) as readonly Case[];

/** Schemas whose normal form in Java is another schema, has lost a default, or does not exist: ours keeps them. */
const KEPT = [
  // A double of more than 2^63.
  '"default":12345678901234567890',
  // A character that is not a byte.
  '\\u0100',
  // No namespace in a namespace.
  '"name":"T","namespace":"","symbols"',
  // A default with members of no field.
  '"default":{"b":1,"a":2}',
];

const parse = (text: string, normalize = false) => avroFormat.parse(text, new Map(), normalize);

test.each(cases.filter(({ op }) => op === 'print') as { schema: string; answer: string | null }[])(
  'prints $schema',
  ({ schema, answer }) => {
    if (answer === null) expect(() => parse(schema)).toThrow(InvalidSchema);
    else expect(parse(schema).text).toBe(answer);
    if (answer !== null) expect(parse(answer).text).toBe(answer);
  },
);

test.each(cases.filter(({ op }) => op === 'normalize') as { schema: string; answer: string | null }[])(
  'normal form of $schema',
  ({ schema, answer }) => {
    const normal = parse(schema, true).text;
    if (KEPT.some((text) => schema.includes(text))) expect(normal).not.toBe(answer);
    else expect(normal).toBe(answer);
    expect(parse(normal, true).text).toBe(normal);
  },
);

test.each(
  cases.filter(({ op }) => op === 'compare') as { reader: string; writer: string; answer: readonly string[] }[],
)('$reader reads $writer', ({ reader, writer, answer }) => {
  expect(avroFormat.differences(parse(reader), parse(writer), { reader: '%s', writer: '%s' })).toEqual(answer);
});
