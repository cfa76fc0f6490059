/** What a parsed expression in CEL may contain, and what it reads. Source: cdc-postgres §7.13. */
import { LONGEST_PATTERN } from './bounded-functions';

interface CheckedExpression {
  /** Of `matches`. */
  readonly patterns: ReadonlySet<string>;
  /** Members that are read by their names alone, such as `value.after.id`. */
  readonly paths: ReadonlySet<string>;
}

/** Throws SyntaxError for what could run long or without end. */
export function checkedExpression(expression: unknown): CheckedExpression {
  const parts = { patterns: new Set<string>(), paths: new Set<string>() };
  collect(expression, parts);
  return parts;
}

interface CollectedNames {
  readonly patterns: Set<string>;
  readonly paths: Set<string>;
}

function collect(node: unknown, parts: CollectedNames): void {
  if (typeof node !== 'object' || node === null) return;
  const { case: kind, value } = node as { case?: unknown; value?: unknown };
  // Macros such as `exists` become loops over a list of the record, one within the other.
  if (kind === 'comprehensionExpr') {
    throw new SyntaxError('all, exists, exists_one, filter and map are not available, because they are loops');
  }
  if (kind === 'callExpr') addPattern(value as Call, parts.patterns);
  if (kind === 'selectExpr') {
    const path = pathOf(node as Kind);
    if (path !== null) parts.paths.add(path);
  }
  for (const member of Object.values(node)) collect(member, parts);
}

interface Kind {
  readonly case?: unknown;
  readonly value?: unknown;
}
interface Node {
  readonly exprKind: Kind;
}
interface Select {
  readonly operand?: Node;
  readonly field: string;
  readonly testOnly: boolean;
}
interface Call {
  readonly function: string;
  readonly args: readonly Node[];
}

/** Null: not a path of names. */
function pathOf({ case: kind, value }: Kind): string | null {
  if (kind === 'identExpr') return (value as { readonly name: string }).name;
  if (kind !== 'selectExpr') return null;
  const { operand, field, testOnly } = value as Select;
  const path = operand === undefined || testOnly ? null : pathOf(operand.exprKind);
  return path === null ? null : `${path}.${field}`;
}

/** A pattern that a record holds could be of any size. */
function addPattern({ function: name, args }: Call, patterns: Set<string>): void {
  if (name !== 'matches') return;
  const { exprKind } = args.at(-1) ?? { exprKind: {} };
  const constant = exprKind.value as { constantKind?: { value?: unknown } } | undefined;
  const pattern = exprKind.case === 'constExpr' ? constant?.constantKind?.value : undefined;
  if (typeof pattern !== 'string' || pattern.length > LONGEST_PATTERN) {
    throw new SyntaxError(`matches needs a text of at most ${LONGEST_PATTERN} characters between quotes`);
  }
  patterns.add(pattern);
}
