export { KeptProcess, type KeptProcessOptions } from '../../src/cli/dev/postgres/kept-process';
