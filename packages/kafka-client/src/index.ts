/** What users of the client see; `./clients` creates clients, `./security` reads files and settings of credentials. */
export * from './client-metrics';
export * from './errors';
export * from './network/cluster-id';
export * from './port';
