/**
 * Asks Java's transformations what they make of the cases in test/golden/transforms/cases, and writes the answers beside them, with the facts
 * of their settings: `node -r ./dev/register.js dev/record-transforms.ts`. Needs a JDK, and Maven the first time.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askJava, type Question } from '../test/golden/transforms/ask-java';
import { builtInTransformations } from '../src/transforms';
import { fields } from '../test/golden/transforms/cases/fields';
import { routing } from '../test/golden/transforms/cases/routing';
import { values } from '../test/golden/transforms/cases/values';
import { javaConnectJars } from './services/java-connect-jars';
import { ROOT } from './services/paths';

/** One line an item. */
const lines = (items: readonly unknown[]): string => `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]\n`;

async function main(): Promise<void> {
  const { classPath } = await javaConnectJars();
  const write = async (name: string, questions: readonly Question[]): Promise<void> => {
    const answers = await askJava(classPath, questions);
    writeFileSync(join(ROOT, 'test', 'golden', 'transforms', 'answers', `${name}.json`), lines(answers));
  };
  await write('fields', fields);
  await write('routing', routing);
  await write('values', values);
  const classes = builtInTransformations.map(({ description }) => description.class);
  await write(
    'definitions',
    classes.map((definitions) => ({ definitions })),
  );
}

void main();
