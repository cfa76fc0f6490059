/** Column defaults as far as a schema can carry them (cdc-postgres §3.5). */
import { LogicalName, type Decimal } from '@millrace/sdk';
import { rescale } from './numbers';
import type { ValueType } from './value-type';

/** Casts may be nested in type names with blanks, precision and `[]`: `::timestamp(3) without time zone`. */
const CAST = String.raw`(?:::(?:"[^"]+"|[a-z_][\w.]*)(?:[ a-z]*)(?:\([\d,]+\))?(?:[ a-z]*)(?:\[\])*)*`;
const STRING_LITERAL = new RegExp(`^\\(?'((?:[^']|'')*)'\\)?${CAST}$`, 'i');
const BIT_LITERAL = new RegExp(`^B'([01]*)'${CAST}$`);
const NUMBER_LITERAL = new RegExp(String.raw`^\(?(-?[\d.]+(?:e[+-]?\d+)?)\)?${CAST}$`, 'i');
const BOOLEAN_LITERAL = /^(true|false)$/i;
const NULL_LITERAL = new RegExp(`^NULL${CAST}$`, 'i');
/** Anything computed when a row is inserted: the schema then carries the type's zero value, as Debezium does. */
const FUNCTION_CALL =
  /^\(*(?:[a-z_"][\w."]*\(|CURRENT_(?:TIMESTAMP|DATE|TIME|USER|ROLE)|LOCALTIME(?:STAMP)?|SESSION_USER)/i;

/**
 * @param expression what `pg_get_expr` prints for the default
 * @returns the value for the schema, or undefined for none
 */
export function schemaDefault(expression: string, type: ValueType): unknown {
  if (!type.defaults || NULL_LITERAL.test(expression)) return undefined;
  const text = literal(expression);
  if (text !== null) return decodeDefault(text, type);
  return FUNCTION_CALL.test(expression) ? type.fallback : undefined;
}

function literal(expression: string): string | null {
  const string = STRING_LITERAL.exec(expression);
  if (string) return (string[1] as string).replaceAll("''", "'");
  const bits = BIT_LITERAL.exec(expression) ?? NUMBER_LITERAL.exec(expression);
  if (bits) return bits[1] as string;
  const boolean = BOOLEAN_LITERAL.exec(expression);
  return boolean ? (boolean[1] as string).toLowerCase().slice(0, 1) : null;
}

function decodeDefault(text: string, type: ValueType): unknown {
  // An infinite date or timestamp has no useful default (§3.5, Appendix R.14).
  if (type.schema.name?.startsWith('io.debezium.time.') && text.endsWith('infinity')) return undefined;
  const bytes = Buffer.from(text, 'utf8');
  try {
    const value = type.decode(bytes, 0, bytes.length) ?? undefined;
    // A literal is written with the digits its author chose, a value with those of the column.
    if (value === undefined || type.schema.name !== LogicalName.DECIMAL) return value;
    return rescale(value as Decimal, Number(type.schema.parameters?.scale));
  } catch {
    return undefined;
  }
}
