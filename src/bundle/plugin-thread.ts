/** What plugin threads run. */
import { runProgram } from './run-program';

runProgram('plugin-thread');
