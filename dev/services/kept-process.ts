export { KeptProcess, type KeptProcessOptions } from '../../src/cli/verbs/dev/kept-process';
