export * from './config-def-fault';
export * from './result-checks';
export * from './source-batch-check';
