/** Which field of a value does not fit, once a compiled writer has failed. */
import { checkValue, readMember } from '@millrace/sdk';
import { ByteOutput } from '../byte-output';
import type { JsonOutput } from './json-output';
import { Misfit, unwritable } from './schema-error';
import type { Writer } from './value-writer';

/** The error to throw. */
export function misfitOf(writer: Writer, value: unknown, out: JsonOutput, error: unknown): unknown {
  // JavaScript's own, from a value that contains itself.
  if (error instanceof RangeError) return unwritable(new Misfit('is nested too deep'));
  if (!(error instanceof Misfit)) return error;
  const { target } = out;
  out.target = new ByteOutput(64);
  try {
    return unwritable(located(writer, value, error));
  } finally {
    out.target = target;
  }
}

function located(writer: Writer, value: unknown, error: Misfit): Misfit {
  for (const [step, part, member] of membersOf(writer, value)) {
    const inner = failureOf(part, member);
    if (inner === null) continue;
    const found = located(part, member, inner);
    found.path.push(step);
    return found;
  }
  const problem = value === null || value === undefined ? null : checkValue(writer.schema, value);
  return problem === null || problem.path !== '' ? error : new Misfit(`does not fit: ${problem.reason}`);
}

function failureOf(writer: Writer, value: unknown): Misfit | null {
  try {
    if (value !== null && value !== undefined) writer.write(value);
    else if (writer.nullText === null && !writer.omitsNull) return new Misfit('is null, but not optional');
  } catch (error) {
    if (error instanceof Misfit) return error;
    throw error;
  }
  return null;
}

type Member = readonly [step: string, part: Writer, value: unknown];

function* membersOf({ schema, parts }: Writer, value: unknown): Generator<Member> {
  if (typeof value !== 'object' || value === null) return;
  const element = parts.get('');
  if (schema.type === 'ARRAY' && Array.isArray(value))
    for (const [i, member] of value.entries()) yield [`[${i}]`, element as Writer, member];
  if (schema.type === 'MAP' && value instanceof Map)
    for (const [key, member] of value as Map<unknown, unknown>) {
      yield ['.key', parts.get('.key') as Writer, key];
      yield [`[${String(key)}]`, element as Writer, member];
    }
  if (schema.type !== 'STRUCT' || Array.isArray(value) || value instanceof Map) return;
  for (const { name } of schema.fields ?? [])
    yield [`.${name}`, parts.get(name) as Writer, readMember(value as Record<string, unknown>, name)];
}
