/**
 * Runs a connector's tasks, transformations and predicates in a test, without Kafka and without a worker:
 * `@millrace/sdk/testing`. See docs/writing-a-connector.md.
 */
export type { PutRecord } from './complete-record';
export * from './config-check';
export * from './memory-clients';
export * from './memory-connection';
export * from './memory-logger';
export * from './memory-metrics';
export { MemoryOffsets } from './memory-offsets';
export type { MemoryTransaction } from './memory-transactions';
export * from './run-source-task';
export * from './run-transformation';
export * from './sink-task-harness';
