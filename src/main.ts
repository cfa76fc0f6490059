#!/usr/bin/env node
/** The `millrace` command. Only workers need so many modules that a bundle of them pays. */
import type * as CliProcess from './cli/run-process';
import type * as Bundle from './bundle/run-program';

if (['start', 'dev'].includes(process.argv[2] ?? '')) {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- the others start without it
  (require('./bundle/run-program') as typeof Bundle).runProgram('worker');
} else {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- in the bundle of a worker
  require('./cli/run-process') as typeof CliProcess;
}
