/** What `millrace dev` prints when it is ready. Pure. */
import { formatLine, type LogFormat } from '../../logging/format-line';
import type { Paint } from '../output/colours';
import { isRunnable } from '../output/shell-quote';

/** What to do next. */
export interface NextStep {
  readonly purpose: string;
  /** A shell command that works as it stands. */
  readonly command: string;
}

export interface ReadyFacts {
  readonly rest: string;
  /** `host:port`. */
  readonly kafka: string;
  /** URL of the database, without the password; null without `--seed`. */
  readonly postgres: string | null;
  /** Absolute path; null if the worker uses a Kafka cluster. */
  readonly data: string | null;
  readonly next: readonly NextStep[];
}

/**
 * Text: one line without a timestamp, and one for each command, so that it can be copied. JSON: a log line, because
 * standard output is also the log.
 */
export function readyText(facts: ReadyFacts, format: LogFormat, paint: Paint, now = new Date()): string {
  const { rest, kafka, postgres, data } = facts;
  const next = facts.next.filter(({ command }) => isRunnable(command));
  if (format === 'json') {
    const commands = Object.fromEntries(next.map(({ purpose, command }) => [purpose, command]));
    const fields = { rest, kafka, ...(postgres && { postgres }), ...(data && { data }), next: commands };
    const event = { time: now, level: 'info', name: 'millrace.dev', message: 'Millrace is ready', fields } as const;
    return `${formatLine(event, 'json')}\n`;
  }
  const places = [`REST ${rest}`, `Kafka ${kafka}`];
  if (postgres) places.push(`PostgreSQL ${postgres}`);
  if (data) places.push(`data ${data}`);
  const width = Math.max(0, ...next.map(({ purpose }) => purpose.length)) + 1;
  const lines = [`${paint('green', 'Millrace is ready:')} ${places.join(', ')}`];
  for (const { purpose, command } of next) lines.push(`  ${paint('bold', `${purpose}:`.padEnd(width))} ${command}`);
  return `${lines.join('\n')}\n`;
}
