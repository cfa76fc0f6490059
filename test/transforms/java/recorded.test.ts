/** The recorded answers of test/transforms/java-answers.test.ts are those that Java returns. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { javaConnectJars } from '../../../dev/services/java-connect-jars';
import { askJava } from '../../golden/transforms/ask-java';
import { fields } from '../../golden/transforms/cases/fields';
import { routing } from '../../golden/transforms/cases/routing';
import { values } from '../../golden/transforms/cases/values';

/** Identities of objects differ from run to run. */
const steady = (answers: unknown): unknown => JSON.parse(JSON.stringify(answers).replace(/@[0-9a-f]+"/g, '@"'));

test.each([
  ['fields', fields],
  ['routing', routing],
  ['values', values],
])('connect-runtime 105: %s', async (name, cases) => {
  const { classPath } = await javaConnectJars();
  const file = join(__dirname, '..', '..', 'golden', 'transforms', 'answers', `${name}.json`);
  expect(steady(await askJava(classPath, cases))).toEqual(steady(JSON.parse(readFileSync(file, 'utf8'))));
});
