/**
 * Results of Kafka 4.3.1's own transformations for some two thousand records, recorded by dev/record-transforms.ts,
 * compared with Millrace's for the same records: values, and the classes and texts of errors.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInTransformations } from '../../src/transforms';
import { wholeName, type Answer } from '../golden/transforms/ask-java';
import { fields } from '../golden/transforms/cases/fields';
import { routing } from '../golden/transforms/cases/routing';
import { values } from '../golden/transforms/cases/values';
import { answerOf, factsOf, withoutIdentity, type Difference } from '../golden/transforms/compare';

const recorded = <T>(name: string): T[] =>
  JSON.parse(readFileSync(join(__dirname, '..', 'golden', 'transforms', 'answers', `${name}.json`), 'utf8')) as T[];

const DIFFERENCES: readonly Difference[] = [
  {
    why: 'Java falls over a null; same class, another sentence',
    java: /NullPointerException","Cannot invoke/,
    ours: /NullPointerException","(?:HeaderFrom: the field \\"missing\\" does not exist|TimestampConverter requires \\"format\\")/,
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
    why: 'times after the year 275760 are numbers; the recording has rounded milliseconds, also of days',
    java: /(?:Date|Timestamp)","version":1\},\d{16,}\]/,
    ours: /(?:Date","version":1\},(?:19675925927|106751991)|Timestamp","version":1\},"\d{16,}")\]/,
  },
  {
    why: 'Java counts days before 1582-10-15 by the Julian calendar',
    java: /Timestamp","version":1\},-6\d{13}\]/,
    ours: /Timestamp","version":1\},-6\d{13}\]/,
  },
  {
    why: 'the two engines name the fault in an expression differently',
    java: /Invalid regex: Unclosed group near index 1/,
    ours: /Invalid regex: .*[Uu]nterminated group/,
  },
];

describe.each([
  ['fields', fields],
  ['routing', routing],
  ['values', values],
])('connect-runtime 105: %s', (name, cases) => {
  const answers = recorded<Answer>(name);
  test('every case was recorded', () => expect(answers.length).toBe(cases.length));

  test.each(cases.map((one, i) => [one.class, one.config, i] as const))('%s %j', (name, _config, i) => {
    const { plugin } = builtInTransformations.find(({ className }) => className === wholeName(name))!;
    const java = withoutIdentity(answers[i]!);
    expect(answerOf(plugin, cases[i]!, java, DIFFERENCES)).toEqual(java);
  });
});

describe('connect-runtime 105: the settings have Java’s names, types, defaults and order', () => {
  const definitions = recorded<readonly { readonly validator: string | null }[]>('definitions');
  test.each(builtInTransformations.map(({ className, plugin }, i) => [className, plugin.config, i] as const))(
    '%s',
    (_class, config, i) => {
      expect(config.map(factsOf)).toEqual(definitions[i]!.map(({ validator: _, ...facts }) => facts));
      expect(config.every(({ documentation }) => documentation.length > 10)).toBe(true);
    },
  );
});
