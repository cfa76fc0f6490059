/** Checks source partitions and offsets: flat maps of values that the offsets topic can store. */
import { actualKind, isPlainObject, type Fault } from './plugin-fault';

export const OFFSET_NOT_PRIMITIVE = 'OFFSET_NOT_PRIMITIVE';

/**
 * Null if `map` is a source partition or offset, or null.
 * @param name how the message calls it: `sourceOffset` or `sourcePartition`
 */
export function offsetFault(map: unknown, name: string): Fault | null {
  if (map === null) return null;
  if (map === undefined) return { code: OFFSET_NOT_PRIMITIVE, reason: `${name} is missing: use null for none` };
  if (!isPlainObject(map))
    return {
      code: OFFSET_NOT_PRIMITIVE,
      reason: `${name} is ${actualKind(map)}: expected an object of primitive values, or null`,
    };
  for (const key in map) {
    const value = map[key];
    switch (typeof value) {
      case 'string':
      case 'boolean':
        continue;
      case 'bigint':
        if (BigInt.asIntN(64, value) === value) continue;
        break;
      case 'number':
        if (Number.isFinite(value)) continue;
        break;
      case 'object':
        if (value === null || value instanceof Uint8Array) continue;
    }
    return {
      code: OFFSET_NOT_PRIMITIVE,
      reason: `member "${key}" of ${name} is ${typeof value === 'number' ? value : actualKind(value)}, which is not a primitive value: expected null, a boolean, a finite number, a bigint of 64 bits, a string or bytes`,
    };
  }
  return null;
}
