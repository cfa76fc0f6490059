/**
 * Schema and field names that Avro accepts, by Debezium's `schema.name.adjustment.mode` and
 * `field.name.adjustment.mode` (cdc-postgres §7.2).
 */
export type NameAdjustment = 'none' | 'avro' | 'avro_unicode';

export type Rename = (name: string) => string;

/** For schemas, whose names may contain dots except as the first character. */
export function adjustedSchemaNames(mode: NameAdjustment): Rename {
  return renaming(mode, /[A-Za-z0-9.]/);
}

/** For fields, whose names contain no dots. */
export function adjustedFieldNames(mode: NameAdjustment): Rename {
  return renaming(mode, /[A-Za-z0-9]/);
}

/** @param valid matches a single UTF-16 unit that stays; underscores stay in `avro` only */
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
