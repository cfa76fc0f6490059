/** Names of enums' values, also of those that the schema does not have. */
import type { EnumType } from '../schema/proto-model';

/** As Java's Protobuf names values that a schema does not have. */
export function enumValue(type: EnumType, number: number): string {
  return type.names.get(number) ?? `UNKNOWN_ENUM_VALUE_${type.name}_${number}`;
}

/** Undefined: it is none. */
export function enumNumber(type: EnumType, name: string): number | undefined {
  const number = type.values.get(name);
  if (number !== undefined) return number;
  const prefix = `UNKNOWN_ENUM_VALUE_${type.name}_`;
  if (!name.startsWith(prefix)) return undefined;
  const rest = Number(name.slice(prefix.length));
  return rest === (rest | 0) && String(rest) === name.slice(prefix.length) ? rest : undefined;
}
