export { parseJaasFile, type JaasEntry } from './jaas';
export { readTlsOptions } from './ssl-config';
