export { startEmbeddedBroker, type EmbeddedBroker, type EmbeddedBrokerOptions } from './broker';
export { readRunningBroker, type RunningBroker } from './storage/data-folder';
export type { FailOptions, FaultOptions, Faults, RemoveFault } from './faults';
export { ErrorCode, type ErrorName } from './protocol/errors';
export { BrokerStartError, type StartErrorCode } from './start-error';
export { useEmbeddedBroker, type TestBroker, type TestHooks } from './testing/use-embedded-broker';
