export { parseJaasFile } from './jaas-file';
export type { JaasEntry } from './jaas-tokens';
export { readTlsOptions } from './ssl-config';
