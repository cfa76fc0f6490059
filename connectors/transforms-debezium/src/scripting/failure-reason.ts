/** Why an expression failed, without values of the record, which may be secrets. Source: cdc-postgres §7.13. */

/** Messages of CEL's functions that quote what they are given. */
const QUOTING: readonly (readonly [message: RegExp, reason: string])[] = [
  [/^Cannot convert [\s\S]* to a BigInt$/, 'a text is not an integer'],
  [/^Unable to convert string /, 'a text is neither true nor false'],
  [/^Invalid time zone specified: /, 'a text is not a time zone'],
  [/^index -?\d+ out of bounds /, 'a list has no element with the index'],
  [/^map key conflict: /, 'two keys of a map are equal'],
];
const NAMING = /^(field not found): ([\s\S]*)$/;

/** @param expression whose names may be quoted */
export function failureReason(message: string, expression: string): string {
  const known = QUOTING.find(([pattern]) => pattern.test(message));
  if (known) return known[1];
  const [, what, name] = NAMING.exec(message) ?? [];
  return what === undefined || expression.includes(name as string) ? message : what;
}
