/** The schema registry's rules of Avro beside those of Confluent's classes, for generated schemas. */
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { avroConverterClasses } from '../../../dev/services/avro-converter-classes';
import { javaConnectJars } from '../../../dev/services/java-connect-jars';
import { findJava } from '../../../dev/services/kafka-jars';
import { avroFormat } from '../../../packages/schema-registry/src/avro/avro-format';
import { InvalidSchema } from '../../../packages/schema-registry/src/registry-error';
import { SchemaGenerator, seeded } from '../../schema-registry/avro/generate-schemas';
import { describeWithJava } from './fixtures';

const PAIRS = 5_000;
const REFUSED = '!';

type Question = readonly ['print' | 'normalize', string] | readonly ['compare', string, string];

async function javaAnswers(questions: readonly Question[]): Promise<readonly string[]> {
  const [java, { classPath }, classes] = await Promise.all([findJava(), javaConnectJars(), avroConverterClasses()]);
  const program = join(__dirname, 'AvroSchemas.java');
  const child = spawn(java, ['-cp', [classPath, classes].join(delimiter), program], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const answers = text(child.stdout);
  child.stdin.end(questions.map((question) => `${question.join('\t')}\n`).join(''));
  return (await answers)
    .split('\n')
    .filter((line) => line.startsWith('='))
    .map((line) => line.slice(1));
}

function ownAnswer(question: Question): string {
  const parse = (schema: string, normalize = false) => avroFormat.parse(schema, new Map(), normalize);
  try {
    const schema = parse(question[1], question[0] === 'normalize');
    if (question[0] !== 'compare') return schema.text;
    return avroFormat.differences(schema, parse(question[2]), { reader: '%s', writer: '%s' }).join('\t');
  } catch (error) {
    if (error instanceof InvalidSchema) return REFUSED;
    throw error;
  }
}

/** Java's normal form of a type without a namespace, in a namespace, is a type in that namespace. */
const losesNamespace = (question: Question): boolean =>
  question[0] === 'normalize' && question[1].includes('"namespace":""');

describeWithJava('Avro schemas of the registry and of Confluent', () => {
  test('generated schemas are printed, refused and compared alike', async () => {
    const generator = new SchemaGenerator(seeded(11));
    const questions = Array.from({ length: PAIRS }, (): readonly Question[] => {
      const schema = generator.schema();
      const [a, b] = [JSON.stringify(schema), JSON.stringify(generator.changed(schema))];
      return [
        ['print', a],
        ['print', b],
        ['normalize', a],
        ['compare', a, b],
        ['compare', b, a],
      ];
    })
      .flat()
      .filter((question) => !losesNamespace(question));
    const answers = await javaAnswers(questions);
    expect(answers).toHaveLength(questions.length);
    const differing = questions.flatMap((question, i) => {
      const [own, java] = [ownAnswer(question), answers[i]];
      return own === java ? [] : [{ question, own, java }];
    });
    expect(differing.slice(0, 3)).toEqual([]);
    const isIncompatible = (question: Question, i: number): boolean =>
      question[0] === 'compare' && answers[i] !== '' && answers[i] !== REFUSED;
    expect(questions.filter(isIncompatible).length).toBeGreaterThan(PAIRS / 3);
    expect(answers.filter((answer) => answer === REFUSED).length).toBeGreaterThan(100);
  });
});
