/** The config of one task where the captured tables are split over several slots. Pure. */
import type { SourcePartition } from '@millrace/sdk';
import type { ParallelConfig } from './parallel-config';
import type { PostgresConfig } from './postgres-config';

/**
 * With `slot.count` above 1, the task's own slot, publication and tables. Each is named for the task, so that no two
 * tasks read one slot.
 */
export function slotPart(config: PostgresConfig, task: number): PostgresConfig {
  const { parallel, slot, publication, filters } = config;
  if (parallel.count === 1) return config;
  const warnings = task === 0 && publication.mode === 'all_tables' ? [ALL_TABLES] : [];
  return {
    ...config,
    warnings: [...config.warnings, ...warnings],
    part: { number: task, id: partId(task, parallel.layout) },
    slot: { ...slot, name: `${slot.name}_${task}` },
    publication: { ...publication, name: `${publication.name}_${task}` },
    filters: { ...filters, owns: (table) => slotOf(table, parallel) === task },
  };
}

const ALL_TABLES =
  'publication.autocreate.mode=all_tables sends the changes of all tables to each slot, and each task drops those of the others; with filtered, the server sends each slot only its own.';

/** Identifies the stored offsets of a task. */
export function sourcePartition({ prefix, part }: PostgresConfig): SourcePartition {
  const partition: SourcePartition = part === null ? { server: prefix } : { server: prefix, slot: part.id };
  return Object.freeze(partition);
}

/** The config of each task. */
export function slotParts(config: PostgresConfig): PostgresConfig[] {
  return Array.from({ length: config.parallel.count }, (_, task) => slotPart(config, task));
}

/** Number and layout: a position of one layout is never used in another, whose slots have other tables. */
function partId(number: number, layout: string): string {
  return `${number}/${layout}`;
}

/** The slot of a table, `schema.table`. It never changes for a given layout. */
export function slotOf(table: string, { count, assigned }: ParallelConfig): number {
  return assigned.find(({ tables }) => tables.matches(table))?.slot ?? hash(table) % count;
}

/** FNV-1a of the UTF-8 bytes, with the last step of MurmurHash3, so that the low bits depend on all bytes. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text, 'utf8')) value = Math.imul(value ^ byte, 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
