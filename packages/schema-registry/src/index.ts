/** A schema registry with Confluent's REST interface. */
export { type LogListener, memoryLog, type RegistryLog } from './core/log';
export { type RunningSchemaRegistry, type SchemaRegistryOptions, startSchemaRegistry } from './start-schema-registry';
