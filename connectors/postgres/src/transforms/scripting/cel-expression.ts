/**
 * Expressions in CEL, the Common Expression Language, about a record. They have no loops, their regular expressions
 * match in linear time, and their size and what they read are bounded, so each ends soon. Source: cdc-postgres §7.13.
 */
import { celEnv, celMethod, CelScalar, isCelError, parse, plan, type CelInput } from '@bufbuild/cel';
import type { ConnectRecord, Schema } from '@millrace/sdk';
import { celValue, ReadLimit } from './cel-values';

export const LONGEST_EXPRESSION = 4_096;
const LONGEST_PATTERN = 1_000;

/** JavaScript compares up to this number of characters within some tens of milliseconds. */
const MOST_COMPARED = 100_000_000;

const ENVIRONMENT = celEnv({
  funcs: [
    celMethod('contains', CelScalar.STRING, [CelScalar.STRING], CelScalar.BOOL, function (part) {
      if (this.length * part.length <= MOST_COMPARED) return this.includes(part);
      throw new RangeError(`contains searches for ${part.length} characters in ${this.length}, which takes too long`);
    }),
  ],
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
  const limit = new ReadLimit();
  return (record) => {
    limit.reset();
    const result = evaluate(new Variables(record, withHeaders, limit) as unknown as Readonly<Record<string, CelInput>>);
    if (isCelError(result)) throw result;
    return result;
  };
}

/** Each is converted, and counts, when the expression reads it. */
class Variables {
  constructor(
    private readonly record: ConnectRecord,
    private readonly withHeaders: boolean,
    private readonly limit: ReadLimit,
  ) {}

  get key(): CelInput {
    return celValue(this.record.keySchema, this.record.key, this.limit);
  }

  get value(): CelInput {
    return celValue(this.record.valueSchema, this.record.value, this.limit);
  }

  get keySchema(): CelInput {
    return schemaFacts(this.record.keySchema, this.limit);
  }

  get valueSchema(): CelInput {
    return schemaFacts(this.record.valueSchema, this.limit);
  }

  get topic(): CelInput {
    return celValue(null, this.record.topic, this.limit);
  }

  get header(): CelInput {
    return this.withHeaders ? headersOf(this.record, this.limit) : {};
  }
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

/** `name`, `type`, `version`, `optional`, `doc`, `parameters`. */
function schemaFacts(schema: Schema | null, limit: ReadLimit): CelInput {
  if (schema === null) return null;
  const { name, type, version, optional, doc, parameters } = schema;
  return celValue(null, { name, type, version, optional, doc, parameters: parameters ?? {} }, limit);
}

/** `header.<name>.value`; of headers with one name, the last. */
function headersOf({ headers }: ConnectRecord, limit: ReadLimit): CelInput {
  const named = new Map<string, CelInput>();
  for (const { key, schema, value } of headers ?? []) {
    named.set(key, { value: celValue(schema, value, limit), schema: schemaFacts(schema, limit) });
  }
  return named;
}
