export { KeptProcess, type KeptProcessOptions } from '../../src/cli/verbs/dev/postgres/kept-process';
