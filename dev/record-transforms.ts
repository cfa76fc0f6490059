/**
 * Records the results of Java's transformations for the cases in test/golden/transforms/cases, and their config
 * definitions: `node -r ./dev/register.js dev/record-transforms.ts`. Needs a JDK, and Maven the first time. Pass the
 * folder of the jars of Debezium's PostgreSQL connector to record its transformations too, and the folder of
 * debezium-scripting (3.5.0.Final) and Groovy with its JSR 223 engine (4.0) for those that run expressions.
 */
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { askJava, type Question } from '../test/golden/transforms/ask-java';
import { builtInTransformations } from '../src/transforms';
import { debeziumGroups } from '../test/golden/transforms/cases/debezium-groups';
import { fields } from '../test/golden/transforms/cases/fields';
import { routing } from '../test/golden/transforms/cases/routing';
import { scripting } from '../test/golden/transforms/cases/scripting';
import { values } from '../test/golden/transforms/cases/values';
import { javaConnectJars } from './services/java-connect-jars';
import { ROOT } from './services/paths';

/** One line per item. */
const lines = (items: readonly unknown[]): string => `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]\n`;

async function main(debeziumFolder: string | undefined, scriptingFolder: string | undefined): Promise<void> {
  const { classPath: kafka } = await javaConnectJars();
  const write = async (name: string, questions: readonly Question[], classPath = kafka): Promise<void> => {
    const answers = await askJava(classPath, questions);
    writeFileSync(join(ROOT, 'test', 'golden', 'transforms', 'answers', `${name}.json`), lines(answers));
  };
  await write('fields', fields);
  await write('routing', routing);
  await write('values', values);
  const classes = builtInTransformations.map(({ className }) => className);
  await write(
    'definitions',
    classes.map((definitions) => ({ definitions })),
  );
  if (debeziumFolder === undefined) return;
  const classPath = [kafka, join(debeziumFolder, '*')].join(delimiter);
  for (const [name, cases] of Object.entries(debeziumGroups)) await write(name, cases, classPath);
  const debeziumClasses = new Set(Object.values(debeziumGroups).flatMap((cases) => cases.map((one) => one.class)));
  await write(
    'debezium-definitions',
    [...debeziumClasses].map((definitions) => ({ definitions })),
    classPath,
  );
  if (scriptingFolder === undefined) return;
  await write('debezium-scripting', scripting, [classPath, join(scriptingFolder, '*')].join(delimiter));
}

void main(process.argv[2], process.argv[3]);
