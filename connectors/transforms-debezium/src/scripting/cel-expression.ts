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
import { failureReason } from './failure-reason';
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
