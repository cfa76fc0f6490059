/**
 * Expressions in CEL, the Common Expression Language, about a record. They have no loops, their regular expressions
 * match in linear time, and their size is bounded, so each ends soon. Source: cdc-postgres §7.13.
 */
import { celEnv, CelScalar, isCelError, parse, plan, type CelInput } from '@bufbuild/cel';
import type { ConnectRecord, Schema } from '@millrace/sdk';
import { celValue } from './cel-values';

export const LONGEST_EXPRESSION = 4_096;
const LONGEST_PATTERN = 1_000;

const ENVIRONMENT = celEnv({
  variables: {
    key: CelScalar.DYN,
    value: CelScalar.DYN,
    keySchema: CelScalar.DYN,
    valueSchema: CelScalar.DYN,
    topic: CelScalar.STRING,
    header: CelScalar.DYN,
  },
});

/** Returns a string, a boolean, a number or another value of CEL. Throws Error with the reason. */
export type Evaluate = (record: ConnectRecord) => unknown;

/** Throws SyntaxError with the reason. */
export function compileExpression(text: string): Evaluate {
  if (text.length > LONGEST_EXPRESSION) {
    throw new SyntaxError(`it has ${text.length} characters, more than ${LONGEST_EXPRESSION}`);
  }
  let evaluate: ReturnType<typeof plan>;
  try {
    const parsed = parse(text);
    refuseLoops(parsed.expr);
    evaluate = plan(ENVIRONMENT, parsed) as ReturnType<typeof plan>;
  } catch (error) {
    const nested = error instanceof RangeError;
    throw new SyntaxError(nested ? 'it is nested too deep' : (error as Error).message, { cause: error });
  }
  const withHeaders = /\bheader\b/.test(text);
  return (record) => {
    const result = evaluate({
      key: celValue(record.keySchema, record.key),
      value: celValue(record.valueSchema, record.value),
      keySchema: schemaFacts(record.keySchema),
      valueSchema: schemaFacts(record.valueSchema),
      topic: record.topic,
      header: withHeaders ? headersOf(record) : {},
    });
    if (isCelError(result)) throw result;
    return result;
  };
}

/** Macros such as `exists` become loops over a list of the record, one within the other. */
function refuseLoops(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const { case: kind, value } = node as { case?: unknown; value?: unknown };
  if (kind === 'comprehensionExpr') {
    throw new SyntaxError('all, exists, exists_one, filter and map are not available, because they are loops');
  }
  if (kind === 'callExpr') checkPattern(value as Call);
  for (const member of Object.values(node)) refuseLoops(member);
}

interface Call {
  readonly function: string;
  readonly args: readonly { readonly exprKind: { readonly case?: unknown; readonly value?: unknown } }[];
}

/** A pattern that a record holds could be of any size. */
function checkPattern({ function: name, args }: Call): void {
  if (name !== 'matches') return;
  const { exprKind } = args.at(-1) ?? { exprKind: {} };
  const constant = exprKind.value as { constantKind?: { value?: unknown } } | undefined;
  const pattern = exprKind.case === 'constExpr' ? constant?.constantKind?.value : undefined;
  if (typeof pattern !== 'string' || pattern.length > LONGEST_PATTERN) {
    throw new SyntaxError(`matches needs a text of at most ${LONGEST_PATTERN} characters between quotes`);
  }
}

const factsOf = new WeakMap<Schema, CelInput>();

/** `name`, `type`, `version`, `optional`, `doc`, `parameters`. */
function schemaFacts(schema: Schema | null): CelInput {
  if (schema === null) return null;
  let facts = factsOf.get(schema);
  if (!facts) {
    const { name, type, version, optional, doc, parameters } = schema;
    facts = {
      name,
      type,
      version: version === null ? null : BigInt(version),
      optional,
      doc,
      parameters: parameters ?? {},
    };
    factsOf.set(schema, facts);
  }
  return facts;
}

/** `header.<name>.value`; of headers with one name, the last. */
function headersOf({ headers }: ConnectRecord): CelInput {
  const named = new Map<string, CelInput>();
  for (const { key, schema, value } of headers ?? []) {
    named.set(key, { value: celValue(schema, value), schema: schemaFacts(schema) });
  }
  return named;
}
