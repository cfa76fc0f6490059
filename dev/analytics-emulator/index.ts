export { startAnalyticsEmulator, type AnalyticsEmulator, type EmulatorOptions } from './emulator';
export type { Fault, FaultTarget } from './faults';
