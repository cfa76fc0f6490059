/**
 * Kafka's and Debezium's own transformations, used by a Node.js task through a JVM, return what was recorded of them in
 * Java for some thousand records: nothing is lost on the way there and back.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ConnectError, type ConnectRecord, convertWhenReady, type Transformation } from '@millrace/sdk';
import { debeziumPluginPath } from '../../../dev/services/debezium-jars';
import { javaTransformation } from '../../../packages/java-host/src/elements/java-transformation';
import { type Answer, wholeName } from '../../golden/transforms/ask-java';
import { debeziumGroups } from '../../golden/transforms/cases/debezium-groups';
import { fields } from '../../golden/transforms/cases/fields';
import type { Case } from '../../golden/transforms/cases/inputs';
import { routing } from '../../golden/transforms/cases/routing';
import { values } from '../../golden/transforms/cases/values';
import { type Difference, withoutIdentity } from '../../golden/transforms/compare';
import { readRecord, writeChanges } from '../../golden/transforms/notation';
import { startHost, type StartedHost } from './started-host';

let host: StartedHost;
beforeAll(async () => {
  const path = await debeziumPluginPath();
  host = await startHost(...readdirSync(path).map((folder) => join(path, folder)));
}, 300_000);
afterAll(async () => {
  expect((await host.stop()).code).toBe(0);
});

const recorded = (name: string): Answer[] =>
  JSON.parse(
    readFileSync(join(__dirname, '..', '..', 'golden', 'transforms', 'answers', `${name}.json`), 'utf8'),
  ) as Answer[];

/** What the way through JavaScript, or to Java, changes. */
const DIFFERENCES: readonly Difference[] = [
  {
    why: 'maps keep their order, so they are of another class',
    java: /java\.util\.HashMap/,
    ours: /java\.util\.LinkedHashMap/,
  },
  {
    why: 'Java’s Cast makes values of its logical types that none of Java’s converters takes',
    java: /^(?!.*error)/,
    ours: /Invalid Java object for schema \\"org\.apache\.kafka\.connect\.data\.(?:Date|Time|Timestamp)\\"/,
  },
  {
    why: 'Debezium’s router returns a text under the schema of another event’s payload, which no converter takes',
    java: /^\{"topic":"outbox\.event\.Order",.*"value":\[\{"type":"(?:STRUCT|ARRAY)".*\},"/,
    ours: /Invalid Java object for schema .*with type (?:STRUCT|ARRAY): class java\.lang\.String for value/,
  },
  {
    why: 'times after the year 275760 are numbers; the recording has rounded milliseconds, also of days',
    java: /(?:Date|Timestamp)","version":1\},\d{13,}\]/,
    ours: /(?:Date","version":1\},-?\d+|Timestamp","version":1\},"\d{16,}")\]/,
  },
];

function isKnown(ours: unknown, java: unknown): boolean {
  const [a, b] = [JSON.stringify(ours), JSON.stringify(java)];
  return DIFFERENCES.some((one) => one.java.test(b) && one.ours.test(a));
}

/** The plugin's own exception. */
function thrown(error: unknown): { readonly error: readonly [string, string] } {
  const { code, cause } = error as ConnectError;
  const { javaClass, message } = (code === 'JAVA_PLUGIN_FAILED' ? cause : error) as ConnectError;
  return { error: [javaClass, message] };
}

function configured(one: Case): Transformation {
  const transformation = javaTransformation({
    class: wholeName(one.class),
    config: [],
    checkValues: () => Promise.resolve([]),
    open: (session) => host.open(session),
  }).create();
  transformation.configure(one.config);
  return transformation;
}

async function results(one: Case): Promise<unknown[]> {
  // A task has records of one kind.
  const [ofSource, ofSink] = [configured(one), configured(one)];
  const resultOf = async (record: ConnectRecord): Promise<unknown> => {
    const transformation = 'originalOffset' in record ? ofSink : ofSource;
    try {
      const result = await convertWhenReady(() => transformation.apply(record));
      return result === null ? null : writeChanges(record, result);
    } catch (error) {
      return thrown(error);
    }
  };
  const all: unknown[] = [];
  for (const notation of one.records) all.push(await resultOf(readRecord(notation)));
  ofSource.close?.();
  ofSink.close?.();
  return all;
}

test.each([['fields', fields], ['routing', routing], ['values', values], ...Object.entries(debeziumGroups)])(
  '%s',
  async (name, cases) => {
    const answers = recorded(name).map(withoutIdentity);
    const differences: unknown[] = [];
    // Bytes become an array, whose hash is another one in each process; in Debezium's own records they are a buffer.
    const isSteady = ({ config }: Case): boolean => config['partition.payload.fields'] !== 'after.bytes';
    for (const [i, one] of cases.entries()) {
      if (!isSteady(one)) continue;
      const java = answers[i] as Answer;
      const ours = await results(one);
      for (const [at, result] of ours.entries()) {
        const expected = java.results === undefined ? { error: java.error } : java.results[at];
        if (!isDeepStrictEqual(result, expected) && !isKnown(result, expected))
          differences.push({ case: i, class: one.class, config: one.config, at, java: expected, ours: result });
      }
    }
    expect(differences).toEqual([]);
  },
  300_000,
);
