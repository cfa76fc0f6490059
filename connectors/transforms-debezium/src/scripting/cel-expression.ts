/**
 * Expressions in CEL, the Common Expression Language, about a record. They have no loops, their regular expressions
 * match in linear time, and their size, what they read and what they compare are bounded, so each ends soon. Source:
 * cdc-postgres §7.13.
 */
import { celEnv, CelScalar, isCelError, parse, plan, type CelInput } from '@bufbuild/cel';
import type { ConnectRecord } from '@millrace/sdk';
import { BoundedFunctions } from './bounded-functions';
import { ReadLimit } from './cel-values';
import { checkedExpression } from './checked-expression';
import { RecordVariables } from './record-variables';

const LONGEST_EXPRESSION = 4_096;

const VARIABLES = {
  key: CelScalar.DYN,
  value: CelScalar.DYN,
  keySchema: CelScalar.DYN,
  valueSchema: CelScalar.DYN,
  topic: CelScalar.STRING,
  header: CelScalar.DYN,
};

/** Returns a string, a boolean, a number or another value of CEL. Throws Error with the reason, without values. */
export type Evaluate = (record: ConnectRecord) => unknown;

/** Throws SyntaxError with the reason. */
export function compileExpression(text: string): Evaluate {
  if (text.length > LONGEST_EXPRESSION) {
    throw new SyntaxError(`it has ${text.length} characters, more than ${LONGEST_EXPRESSION}`);
  }
  const functions = new BoundedFunctions();
  let evaluate: ReturnType<typeof plan>;
  let Variables: typeof RecordVariables;
  try {
    const parsed = parse(text);
    const { patterns, paths } = checkedExpression(parsed.expr);
    for (const pattern of patterns) functions.compile(pattern);
    Variables = RecordVariables.withPaths(paths);
    const environment = celEnv({ funcs: functions.all, variables: VARIABLES });
    evaluate = plan(environment, parsed) as ReturnType<typeof plan>;
  } catch (error) {
    const nested = error instanceof RangeError;
    throw new SyntaxError(nested ? 'it is nested too deep' : (error as Error).message, { cause: error });
  }
  const limit = new ReadLimit();
  return (record) => {
    limit.reset();
    functions.reset();
    const result = evaluate(new Variables(record, limit) as unknown as Readonly<Record<string, CelInput>>);
    if (isCelError(result)) throw new Error(failureReason(result.message, text));
    return result;
  };
}

/** Messages of CEL's functions that quote what they are given. */
const QUOTING: readonly (readonly [message: RegExp, reason: string])[] = [
  [/^Cannot convert [\s\S]* to a BigInt$/, 'a text is not an integer'],
  [/^Unable to convert string /, 'a text is neither true nor false'],
  [/^Invalid time zone specified: /, 'a text is not a time zone'],
  [/^index -?\d+ out of bounds /, 'a list has no element with the index'],
  [/^map key conflict: /, 'two keys of a map are equal'],
];
const NAMING = /^(field not found): ([\s\S]*)$/;

/**
 * Why an expression failed, without values of the record, which may be secrets.
 * @param expression whose names may be quoted
 */
function failureReason(message: string, expression: string): string {
  const known = QUOTING.find(([pattern]) => pattern.test(message));
  if (known) return known[1];
  const [, what, name] = NAMING.exec(message) ?? [];
  return what === undefined || expression.includes(name as string) ? message : what;
}
