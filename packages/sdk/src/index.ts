/**
 * # Terminology
 *
 * - **worker**: one process; workers with the same `group.id` share the work.
 * - **connector**: a named configuration and the plugin that it names; splits the work into tasks.
 * - **task**: the unit of work that moves data; `name-0` in logs.
 * - **source** connectors write to Kafka, **sink** connectors read from Kafka.
 * - **source partition** / **source offset**: what a source reads and how far it has read; stored by the runtime.
 * - **converter**: Connect data ↔ bytes in Kafka.
 * - **plugin**: a folder with a `package.json` whose `millrace` member is the manifest.
 */
export * from './adjusted-names';
export * from './bounded-body';
export * from './check-value';
export * from './checks';
export * from './column-converter';
export * from './config-def';
export * from './connector';
export * from './connector-console';
export * from './consumer';
export * from './converter';
export * from './converter-not-ready';
export * from './diagnosis';
export * from './edit-distance';
export * from './errors';
export * from './jaas';
export * from './java-regex';
export * from './java-replacement';
export * from './java-text';
export * from './key-derivation-limit';
export * from './limited-log';
export * from './logger';
export * from './manifest';
export * from './member';
export * from './nesting';
export * from './pem';
export * from './plugin-metrics';
export * from './processing';
export * from './producer';
export * from './raw';
export * from './record';
export * from './regular-file';
export * from './schema';
export * from './signal';
export * from './task';
export * from './task-connection';
export * from './timing';
export * from './tls-options';
export * from './transaction';
export * from './transformation';
export * from './unscaled';
export * from './zone-offsets';
