/** The terminal: colours, text without control sequences, errors, progress, questions, Ctrl-C. */
export { type Interruption, interruptible } from '../interruption';
export { hasColours, type Paint, paintOf } from '../output/colours';
export { confirm } from '../output/confirm';
export { fail } from '../output/fail';
export { indentedLines, printable, printableLines } from '../output/printable';
export { ProgressLine, type ShowProgress, withProgress } from '../output/progress-line';
export { isRunnable, shellQuote } from '../output/shell-quote';
