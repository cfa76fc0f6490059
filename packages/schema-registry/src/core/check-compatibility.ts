/** Whether a schema may follow the versions of a subject, by a compatibility level. */
import type { ParsedSchema, Sides } from '../schema-format';
import type { Level } from './levels';
import type { StoredSchema } from './log-records';
import type { SchemaParser, SchemaSource } from './schema-parser';
import type { TimeBudget } from './time-budget';

export interface NewSchema {
  readonly source: SchemaSource;
  readonly parsed: ParsedSchema;
}

const NEW_READS: Sides = { reader: 'new', writer: 'old' };
const OLD_READS: Sides = { reader: 'old', writer: 'new' };

/**
 * In Confluent's words, of the newest version that does not fit; empty: all fit. Throws InvalidSchema if one of the
 * schemas is none, or comparing takes too long.
 *
 * @param versions in ascending order
 */
export function incompatibilities(
  { source, parsed }: NewSchema,
  versions: readonly StoredSchema[],
  level: Level,
  parser: SchemaParser,
  budget: TimeBudget,
): readonly string[] {
  if (level === 'NONE') return [];
  const isTransitive = level.endsWith('_TRANSITIVE');
  const forward = level.startsWith('FORWARD') || level.startsWith('FULL');
  const backward = level.startsWith('BACKWARD') || level.startsWith('FULL');
  const format = parser.format(source.type);
  for (const version of (isTransitive ? versions : versions.slice(-1)).toReversed()) {
    budget.check(`comparing it with ${versions.length} versions of the subject`);
    const found: string[] = [];
    if (version.type !== source.type) found.push('Incompatible because of different schema type');
    else {
      const old = parser.parseStored(version);
      if (forward) found.push(...format.differences(old, parsed, OLD_READS));
      if (backward) found.push(...format.differences(parsed, old, NEW_READS));
    }
    if (found.length > 0)
      return [
        ...found,
        `{oldSchemaVersion: ${version.version}}`,
        `{oldSchema: '${version.text}'}`,
        `{validateFields: 'false', compatibility: '${level}'}`,
      ];
  }
  return [];
}
