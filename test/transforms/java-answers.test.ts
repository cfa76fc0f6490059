/**
 * What Kafka 4.3.1's own transformations made of some two thousand records, recorded by dev/record-transforms.ts, beside what ours make of the
 * same records: results, and the classes and texts of errors.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ConfigKey, ConnectError } from '@millrace/sdk';
import { builtInTransformations } from '../../src/transforms';
import { wholeName, type Answer } from '../golden/transforms/ask-java';
import { fields } from '../golden/transforms/cases/fields';
import type { Case } from '../golden/transforms/cases/inputs';
import { routing } from '../golden/transforms/cases/routing';
import { values } from '../golden/transforms/cases/values';
import { readRecord, writeChanges } from '../golden/transforms/notation';

const recorded = <T>(name: string): T[] =>
  JSON.parse(readFileSync(join(__dirname, '..', 'golden', 'transforms', 'answers', `${name}.json`), 'utf8')) as T[];

/** Where we differ on purpose, or cannot do otherwise: what Java's and our answer look like. */
const DIFFERENCES: readonly { readonly why: string; readonly java: RegExp; readonly ours: RegExp }[] = [
  {
    why: 'Java falls over a null; same class, another sentence',
    java: /NullPointerException","Cannot invoke/,
    ours: /NullPointerException","(?:HeaderFrom: there is no field \\"missing\\"|TimestampConverter needs \\"format\\")/,
  },
  { why: 'Java prints an object identity', java: /InsertionSpec@/, ours: /No value specified for static field: a"/ },
  {
    why: "Java cannot cast the fields of a struct's default",
    java: /does not support casting from STRUCT/,
    ours: /"default":\{"a":1,"b":2,"c":null,"d":2\}|Value \(x\) was out of range/,
  },
  {
    why: "JavaScript's dates end in the year 275760",
    java: /^(?!.*error)/,
    ours: /Unix timestamp is out of range/,
  },
  {
    why: 'Java counts days before 1582-10-15 by the Julian calendar',
    java: /Timestamp","version":1\},-6\d{13}\]/,
    ours: /Timestamp","version":1\},-6\d{13}\]/,
  },
  { why: 'weekdays are read, but choose no day', java: /1672790400000/, ours: /1672531200000/ },
  {
    why: 'the two engines name the fault in an expression differently',
    java: /Invalid regex: Unclosed group near index 1/,
    ours: /Invalid regex: .*[Uu]nterminated group/,
  },
];

const thrown = (error: unknown): unknown => {
  const { javaClass, message } = error as ConnectError;
  return { error: [javaClass, message] };
};

function agreed(ours: unknown, java: unknown): unknown {
  // Whether Java hands back the same object or an equal one is its own affair.
  const expected = java === 'same' ? {} : java;
  if (isDeepStrictEqual(ours, expected)) return expected;
  const [a, b] = [JSON.stringify(ours), JSON.stringify(expected)];
  return DIFFERENCES.some((one) => one.java.test(b) && one.ours.test(a)) ? expected : ours;
}

/** Our answer; Java's where the difference is a known one. */
function ask(one: Case, java: Answer): unknown {
  const { plugin } = builtInTransformations.find(({ description }) => description.class === wholeName(one.class))!;
  const transformation = plugin.create();
  try {
    transformation.configure(one.config);
  } catch (error) {
    return agreed(thrown(error), java);
  }
  const results = one.records.map((notation, i) => {
    const record = readRecord(notation);
    let ours: unknown;
    try {
      const result = transformation.apply(record);
      ours = result === null ? null : writeChanges(record, result);
    } catch (error) {
      ours = thrown(error);
    }
    expect(writeChanges(readRecord(notation), record)).toEqual({});
    return agreed(ours, java.results?.[i]);
  });
  return { results };
}

describe.each([
  ['fields', fields],
  ['routing', routing],
  ['values', values],
])('connect-runtime 105: %s', (name, cases) => {
  const answers = recorded<Answer>(name);
  test('every case was recorded', () => expect(answers.length).toBe(cases.length));

  test.each(cases.map((one, i) => [one.class, one.config, i] as const))('%s %j', (_class, _config, i) => {
    const { results, ...rest } = answers[i]!;
    const java = results ? { results: results.map((result) => (result === 'same' ? {} : result)) } : rest;
    expect(ask(cases[i]!, answers[i]!)).toEqual(java);
  });
});

const text = (value: ConfigKey['default']): string | null =>
  value === undefined || value === null ? null : Array.isArray(value) ? value.join(',') : String(value);

describe('connect-runtime 105: the settings have Java’s names, types, defaults and order', () => {
  const definitions = recorded<readonly { readonly validator: string | null }[]>('definitions');
  test.each(builtInTransformations.map(({ description, plugin }, i) => [description.class, plugin.config, i] as const))(
    '%s',
    (_class, config, i) => {
      const ours = config.map((key) => ({
        name: key.name,
        type: key.type,
        required: key.default === undefined,
        default: text(key.default),
        importance: key.importance,
        group: key.group ?? null,
        order: key.order ?? -1,
        width: key.width ?? 'NONE',
        displayName: key.displayName ?? key.name,
      }));
      // How a validator prints itself is not shown to anybody.
      expect(ours).toEqual(definitions[i]!.map(({ validator: _, ...facts }) => facts));
      expect(config.every(({ documentation }) => documentation.length > 10)).toBe(true);
    },
  );
});
