/**
 * Compares Filter and ContentBasedRouter with the results of Debezium's, recorded by dev/record-transforms.ts with
 * conditions in Groovy that mean the same in CEL. The newest published release of debezium-scripting is 3.5.0.Final;
 * the other classes are of 3.7.0.Final.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inCel } from '../../../connectors/transforms-debezium/src/scripting/expression-language';
import { contentBasedRouter, filter } from '../../../connectors/transforms-debezium/src/scripting';
import type { Answer } from '../../golden/transforms/ask-java';
import { scripting } from '../../golden/transforms/cases/scripting';
import { answerOf, withoutIdentity, type Difference } from '../../golden/transforms/compare';

const OURS = /"io\.debezium\.DebeziumException","Error while evaluating expression '.*' for a record of topic/;
const DIFFERENCES: readonly Difference[] = [
  {
    why: 'the message has the reason, and not the record',
    java: /"io\.debezium\.DebeziumException","Error while evaluating expression '.*' for record '/,
    ours: OURS,
  },
  {
    why: 'a condition that is null is an error of the expression',
    java: /java\.lang\.NullPointerException","Cannot invoke \\"java\.lang\.Boolean\.booleanValue/,
    ours: /its result is not a Boolean/,
  },
  {
    why: 'a member that JSON without a schema lacks is an error in CEL; in Groovy it is null',
    java: /^(?:null|\{\})$/,
    ours: /for a record of topic orders: field not found: \w+/,
  },
];

const ANSWERS = join(__dirname, '..', '..', 'golden', 'transforms', 'answers', 'debezium-scripting.json');

describe('cdc-postgres 7.13: as in Java', () => {
  const answers = JSON.parse(readFileSync(ANSWERS, 'utf8')) as Answer[];
  test('every case was recorded', () => expect(answers.length).toBe(scripting.length));

  test.each(scripting.map((one, i) => [one.class, one.config, i] as const))('%s %j', (name, groovy, i) => {
    const config = { ...groovy, language: 'cel' };
    for (const key of ['condition', 'topic.expression'] as const) {
      const script = groovy[key];
      if (script !== undefined) Object.assign(config, { [key]: inCel(script) });
    }
    const java = withoutIdentity(answers[i]!);
    const plugin = name.endsWith('Filter') ? filter : contentBasedRouter;
    expect(answerOf(plugin, { ...scripting[i]!, config }, java, DIFFERENCES)).toEqual(java);
  });
});
