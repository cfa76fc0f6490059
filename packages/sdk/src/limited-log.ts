import type { Logger } from './logger';
import { monotonicNow } from './timing/clock';

const EVERY_MS = 60_000;
/** Subjects may come from records, so their number and length are bounded; further ones share one limit. */
const MANY_SUBJECTS = 1_000;
const LONG_SUBJECT = 1_000;
const OTHERS = '';

type LogFields = Readonly<Record<string, unknown>>;

interface Last {
  readonly at: number;
  suppressed: number;
}

/**
 * Logs at most one message per subject and minute, with the number of those suppressed since: a stream of records with
 * the same problem must not flood the log. Messages must not contain values of records.
 * @example log.warn(record.topic, `A record of topic ${record.topic} has no key and stays in its partition.`)
 */
export class LimitedLog {
  private readonly last = new Map<string, Last>();

  /**
   * @param logger undefined: nothing is logged, as in a test without a logger
   * @param now milliseconds of a monotonic clock
   */
  constructor(
    private readonly logger: Logger | undefined,
    private readonly now: () => number = monotonicNow,
  ) {}

  /**
   * @param subject what the limit applies to, e.g. a table or a topic
   * @param fields as of `Logger`
   */
  warn(subject: string, message: string, fields?: LogFields): void {
    this.log('warn', subject, message, fields);
  }

  /** As `warn`. Both share the limit of a subject. */
  error(subject: string, message: string, fields?: LogFields): void {
    this.log('error', subject, message, fields);
  }

  private log(level: 'warn' | 'error', of: string, message: string, fields?: LogFields): void {
    const now = this.now();
    const subject = this.limitedSubject(of, now);
    const last = this.last.get(subject);
    if (last !== undefined && now - last.at < EVERY_MS) {
      last.suppressed++;
      return;
    }
    // At the end, so that the first subject is the oldest.
    this.last.delete(subject);
    this.last.set(subject, { at: now, suppressed: 0 });
    const more = last === undefined || last.suppressed === 0 ? '' : ` (${last.suppressed} more since the last line)`;
    this.logger?.[level](`${message}${more}`, ...(fields ? [fields] : []));
  }

  private limitedSubject(subject: string, now: number): string {
    if (this.last.has(subject)) return subject;
    if (subject.length > LONG_SUBJECT) return OTHERS;
    if (this.last.size < MANY_SUBJECTS) return subject;
    const [oldest, { at }] = this.last.entries().next().value as [string, Last];
    if (now - at < EVERY_MS) return OTHERS;
    this.last.delete(oldest);
    return subject;
  }
}
