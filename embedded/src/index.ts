export { startEmbeddedBroker, type EmbeddedBroker, type EmbeddedBrokerOptions } from './broker';
export type { FaultOptions, Faults, RemoveFault } from './faults/faults';
export { ErrorCode, type ErrorName } from './protocol/errors';
