/**
 * # Terminology
 *
 * - **worker**: one process; workers with the same `group.id` share the work.
 * - **connector**: a named configuration plus the plug-in it names; decides how work is split into tasks.
 * - **task**: the unit that moves data; printed `name-0`.
 * - **source** connectors bring data into Kafka, **sink** connectors take it out.
 * - **source partition** / **source offset**: where a source reads and how far it got; stored by the runtime.
 * - **converter**: Connect data ↔ bytes in Kafka.
 * - **plug-in**: a folder with a `package.json` whose `millrace` member is the manifest.
 */
export * from './check-value';
export * from './config-def';
export * from './connector';
export * from './converter';
export * from './error-message';
export * from './errors';
export * from './int64';
export * from './java-regex';
export * from './java-replacement';
export * from './java-text';
export * from './logger';
export * from './manifest';
export * from './member';
export * from './plain-decimal';
export * from './producer';
export * from './record';
export * from './schema';
export * from './task';
export * from './timing';
export * from './transformation';
