/** What `millrace preview` says at the end, and its exit code. Pure. */
import { messageOf } from '@millrace/sdk';
import { EXIT } from '../exit-codes';
import { MAX_BYTES, type CollectedRecords } from './collected-records';
import type { End } from './run-task';

export interface SummaryInput {
  readonly end: End;
  readonly collected: Pick<CollectedRecords, 'count' | 'skipped' | 'failed' | 'failures'>;
  readonly discarded: number;
  readonly task: number;
  readonly tasks: number;
  readonly timeoutMs: number;
  readonly idleMs: number;
  readonly isCut: boolean;
}

/** Lines for stderr. */
export function summary(input: SummaryInput): string[] {
  const { end, collected, discarded, task, tasks, timeoutMs, idleMs, isCut } = input;
  const { count, skipped, failed, failures } = collected;
  const tolerated = end === 'failed' ? Math.max(0, failed - 1) : failed;
  const lines: string[] = [];
  if (count > 0) lines.push(`${records(count)} of task ${task}${tasks > 1 ? ` (of ${tasks} tasks, see --task)` : ''}.`);
  if (end === 'quiet')
    lines.push(
      count === 0
        ? `No record within ${timeoutMs / 1000} s (--timeout).`
        : `No further record within ${idleMs / 1000} s (--idle).`,
    );
  if (end === 'too large') lines.push(`Stopped: the records have more than ${MAX_BYTES / 1024 / 1024} MiB.`);
  if (end === 'failed') lines.push('The task failed, as it would in a worker.');
  if (tolerated > 0) {
    lines.push(`${records(tolerated)} skipped because of errors (errors.tolerance=all):`);
    for (const { stage, className, error } of failures.slice(0, tolerated))
      lines.push(`  ${stage} with ${className}: ${messageOf(error)}`);
    if (tolerated > failures.length) lines.push(`  and ${tolerated - failures.length} more`);
  }
  const dropped = skipped - tolerated;
  if (dropped > 0) lines.push(`${records(dropped)} dropped by transformations.`);
  if (discarded > 0) lines.push(`Not shown: ${records(discarded)} that the task sends with producers of its own.`);
  if (isCut) lines.push('Long values are cut; -o json shows them whole.');
  lines.push('Nothing was written.');
  return lines;
}

function records(count: number): string {
  return count === 1 ? '1 record' : `${count} records`;
}

export function exitCode(end: End, count: number): number {
  if (end === 'interrupted') return EXIT.interrupted;
  if (end === 'failed') return EXIT.failed;
  return count === 0 ? EXIT.no : EXIT.success;
}
