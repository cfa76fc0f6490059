/**
 * Compares our transformations with the results of Debezium 3.7's, recorded by dev/record-transforms.ts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TransformationPlugin } from '@millrace/sdk';
import * as transforms from '../../../../connectors/postgres/src/transforms';
import type { Answer } from '../../../golden/transforms/ask-java';
import { debezium } from '../../../golden/transforms/cases/debezium';
import { answerOf, factsOf, withoutIdentity, type Difference } from '../../../golden/transforms/compare';

const DIFFERENCES: readonly Difference[] = [
  {
    why: 'Java does not say which setting is wrong, or which class of error a wrong one is',
    java: /Unable to validate config\.|IllegalArgumentException","Unexpected field name/,
    ours: /ConfigException/,
  },
  {
    why: 'two fields of one name are an error of another class, and one for deletions too',
    java: /SchemaBuilderException","Cannot create field|"shop\.public\.tx1\.Value".*,null\]/,
    ours: /DataException","Cannot create field because of field name duplication (?:v|id)"/,
  },
  {
    why: 'the message says that the key is not a struct',
    java: /Only Struct objects supported for \[Updating schema\], found/,
    ours: /Only Struct objects supported for \[Updating schema\]: a key that is not a struct cannot be routed/,
  },
  {
    why: 'a required column with a default may be null where an event holds the key alone: a deletion is not lost for that',
    java: /null used for required field: \\"n\\"/,
    ours: /"n":null/,
  },
];

const plugins: Readonly<Record<string, TransformationPlugin>> = {
  'io.debezium.transforms.ExtractNewRecordState': transforms.extractNewRecordState,
  'io.debezium.transforms.ByLogicalTableRouter': transforms.byLogicalTableRouter,
};

const recorded = <T>(name: string): T[] =>
  JSON.parse(
    readFileSync(join(__dirname, '..', '..', '..', 'golden', 'transforms', 'answers', `${name}.json`), 'utf8'),
  ) as T[];

describe('cdc-postgres 107, 108: events become rows and change their topic as in Java', () => {
  const answers = recorded<Answer>('debezium');
  test('every case was recorded', () => expect(answers.length).toBe(debezium.length));

  test.each(debezium.map((one, i) => [one.class, one.config, i] as const))('%s %j', (name, _config, i) => {
    const java = withoutIdentity(answers[i]!);
    expect(answerOf(plugins[name]!, debezium[i]!, java, DIFFERENCES)).toEqual(java);
  });

  const definitions = recorded<readonly { readonly validator: string | null }[]>('debezium-definitions');
  test.each(Object.keys(plugins).map((name, i) => [name, i] as const))('settings of %s', (name, i) => {
    expect(plugins[name]!.config.map(factsOf)).toEqual(definitions[i]!.map(({ validator: _, ...facts }) => facts));
  });
});
