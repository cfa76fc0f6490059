/** Column defaults that a schema can carry (cdc-postgres §3.5). */
import { checkValue } from '@millrace/sdk';
import type { ValueType } from './value-type';

/** Casts may be nested in type names with blanks, precision and `[]`: `::timestamp(3) without time zone`. */
const CAST = String.raw`(?:::(?:"[^"]+"[ a-z]*|[a-z_][\w.]*(?: [ a-z]*)?)(?:\([\d,]+\)[ a-z]*)?(?:\[\])*)*`;
const STRING_LITERAL = new RegExp(`^\\(?'((?:[^']|'')*)'\\)?${CAST}$`, 'i');
const BIT_LITERAL = new RegExp(`^B'([01]*)'${CAST}$`);
const NUMBER_LITERAL = new RegExp(String.raw`^\(?(-?[\d.]+(?:e[+-]?\d+)?)\)?${CAST}$`, 'i');
/** Casts that round a fraction. */
const INTEGER_CAST = /::(?:smallint|integer|bigint|money|oid)\b/i;
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
  const { defaultText } = type;
  if (defaultText === null || NULL_LITERAL.test(expression)) return undefined;
  const found = literal(expression);
  if (found === null) {
    if (!FUNCTION_CALL.test(expression)) return undefined;
    const { computedDefault = type.fallback } = type;
    return computedDefault === null ? undefined : computedDefault;
  }
  const special = type.specialDefaults;
  if (special !== undefined && Object.hasOwn(special, found)) return special[found];
  const text = defaultText(found);
  return text === null ? undefined : decodeDefault(text, type);
}

/**
 * The literal may be of another type than the column, as the catalog does not print assignment casts: `0.0` of an
 * integer.
 */
function literal(expression: string): string | null {
  const string = STRING_LITERAL.exec(expression);
  if (string) return (string[1] as string).replaceAll("''", "'");
  const bits = BIT_LITERAL.exec(expression);
  if (bits) return bits[1] as string;
  const [, number] = NUMBER_LITERAL.exec(expression) ?? [];
  if (number !== undefined) return /^-?\d+$/.test(number) || !INTEGER_CAST.test(expression) ? number : null;
  const boolean = BOOLEAN_LITERAL.exec(expression);
  return boolean ? (boolean[1] as string).toLowerCase() : null;
}

function decodeDefault(text: string, type: ValueType): unknown {
  const bytes = Buffer.from(text, 'utf8');
  try {
    const value = type.decode(bytes, 0, bytes.length);
    if (typeof value === 'symbol') return undefined;
    // An integer may be too wide.
    return checkValue(type.schema, value) === null ? value : undefined;
  } catch {
    return undefined;
  }
}
