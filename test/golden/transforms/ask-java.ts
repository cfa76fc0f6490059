/** Runs Answer.java. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { findJava } from '../../../dev/services/kafka-jars';
import type { Case } from './cases/inputs';
import type { Json } from './notation';

/** The results of a class for records, or its settings. */
export type Question = Case | { readonly definitions: string };

/** The class and message of what was thrown. */
export type Thrown = readonly [string, string | null];
export interface Answer {
  /** The settings were rejected. */
  readonly error?: Thrown;
  /** One per record: null if it was dropped, `same` if it is unchanged, otherwise the difference. */
  readonly results?: readonly (Json | { readonly error: Thrown })[];
}

export const wholeName = (name: string): string =>
  name.includes('.') ? name : `org.apache.kafka.connect.transforms.${name}`;

export async function askJava(classPath: string, questions: readonly Question[]): Promise<unknown[]> {
  const flags = ['-XX:TieredStopAtLevel=1', '-Duser.language=en', '-Duser.country=US', '-Duser.timezone=UTC'];
  const java = spawn(await findJava(), [...flags, '-cp', classPath, join(__dirname, 'Answer.java')], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  java.stdin.end(
    JSON.stringify(questions.map((one) => ('class' in one ? { ...one, class: wholeName(one.class) } : one))),
  );
  const [output, errors] = await Promise.all([text(java.stdout), text(java.stderr)]);
  try {
    // Debezium's log lines may precede it.
    return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as unknown[];
  } catch (cause) {
    throw new Error(`Answer.java failed: ${errors}`, { cause });
  }
}
