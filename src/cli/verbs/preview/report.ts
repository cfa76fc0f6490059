/** What `millrace preview` prints: the records, a summary, the exit code. */
import { type CliOutput, EXIT } from '@millrace/cli';
import { tableText, yamlDocument } from '@millrace/cli/answers';
import { messageOf } from '@millrace/sdk';
import type { PreviewFormat } from './options';
import { type CollectedRecords, type End, MAX_BYTES } from './run-task';
import { jsonLine, plainText, type ShownRecord } from './shown-record';

/** Columns of the terminal that a cell may take. */
const KEY_WIDTH = 30;
const OFFSET_WIDTH = 60;
const VALUE_WIDTH = 100;

/** JSON and YAML are printed as they come, a table at the end. */
export interface RecordPrinter {
  add(record: ShownRecord): void;
  /** Returns true if something is cut. */
  end(): boolean;
}

export function recordPrinter(format: PreviewFormat, out: CliOutput): RecordPrinter {
  if (format === 'table') return new TablePrinter(out);
  const write = (record: ShownRecord): string =>
    format === 'json' ? jsonLine(record) : yamlDocument(jsonLine(record));
  return { add: (record) => void out.write(write(record)), end: () => false };
}

class TablePrinter implements RecordPrinter {
  private readonly records: ShownRecord[] = [];
  private isCut = false;

  constructor(private readonly out: CliOutput) {}

  add(record: ShownRecord): void {
    this.records.push(record);
  }

  end(): boolean {
    const { records } = this;
    if (records.length === 0) return false;
    const hasHeaders = records.some(({ headers }) => headers.length > 0);
    const headings = ['TOPIC', 'PARTITION', 'KEY', 'VALUE', ...(hasHeaders ? ['HEADERS'] : []), 'SOURCE OFFSET'];
    const rows = records.map(({ topic, partition, key, value, headers, sourceOffset }) => [
      topic,
      partition === null ? '' : String(partition),
      this.cut(plainText(key), KEY_WIDTH),
      this.cut(plainText(value), VALUE_WIDTH),
      ...(hasHeaders
        ? [this.cut(headers.map((one) => `${one.key}=${plainText(one.value)}`).join(' '), KEY_WIDTH)]
        : []),
      this.cut(sourceOffset, OFFSET_WIDTH),
    ]);
    this.out.write(tableText(headings, rows));
    return this.isCut;
  }

  private cut(text: string, width: number): string {
    if (text.length <= width) return text;
    this.isCut = true;
    return `${text.slice(0, width - 1)}…`;
  }
}

export interface SummaryInput {
  readonly end: End;
  readonly collected: Pick<CollectedRecords, 'count' | 'skipped' | 'failed' | 'failures'>;
  readonly discarded: number;
  readonly task: number;
  readonly tasks: number;
  readonly timeoutMs: number;
  readonly idleMs: number;
  readonly isCut: boolean;
  /** Schemas went to a registry in memory. */
  readonly inMemory: boolean;
}

/** Lines for stderr. */
export function summary(input: SummaryInput): string[] {
  const { end, collected, discarded, task, tasks, timeoutMs, idleMs, isCut, inMemory } = input;
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
  if (inMemory) lines.push('Schemas went to a registry in memory: whether yours accepts them is not known.');
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
