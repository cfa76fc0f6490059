/** What task threads run. */
import { runProgram } from './run-program';

runProgram('task-thread');
