/**
 * Names of schemas and fields that Avro accepts, for those who ask for them (cdc-postgres §7.2). Topics keep theirs.
 */
import type { NameAdjustment } from '../config/postgres-config';

export type Rename = (name: string) => string;

/** Of schemas. Dots are part of them, but not the first character. */
export function schemaNames(mode: NameAdjustment): Rename {
  return renaming(mode, /[A-Za-z0-9.]/);
}

/** Of fields, which have no dots. */
export function fieldNames(mode: NameAdjustment): Rename {
  return renaming(mode, /[A-Za-z0-9]/);
}

/** @param valid what stays as it is, a single UTF-16 unit; underscores do in `avro` alone */
function renaming(mode: NameAdjustment, valid: RegExp): Rename {
  if (mode === 'none') return (name) => name;
  const unicode = mode === 'avro_unicode';
  const replace = (unit: string): string =>
    unicode ? `_u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : /\d/.test(unit) ? `_${unit}` : '_';
  return (name) =>
    name
      .split('')
      .map((unit, i) =>
        (i === 0 ? /[A-Za-z]/ : valid).test(unit) || (unit === '_' && !unicode) ? unit : replace(unit),
      )
      .join('');
}
