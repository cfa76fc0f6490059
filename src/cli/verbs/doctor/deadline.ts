/** Facts that are read within the time that `--deadline` gives to the whole run. What it cuts off is one finding. */
import { monotonicNow, settledWithin, withDeadline } from '@millrace/sdk';
import type { DoctorFinding } from './report';

const CODE = 'DOCTOR_DEADLINE';
/** Named in the message. */
const MOST_SUBJECTS = 20;
/** Timers may end a little early. */
const TOLERANCE_MS = 50;

export class Deadline {
  private readonly end: number;

  constructor(private readonly seconds: number) {
    this.end = monotonicNow() + seconds * 1000;
  }

  /** Milliseconds; never negative. */
  get leftMs(): number {
    return Math.max(0, this.end - monotonicNow());
  }

  /**
   * Reads a fact within its own limit and what is left of the run. Never rejects.
   * @param attempt gets the milliseconds that it has
   */
  async read<T>(what: string, limitMs: number, attempt: (timeoutMs: number) => Promise<T>): Promise<Read<T>> {
    const { leftMs } = this;
    if (leftMs === 0) return { failed: { code: CODE, message: `${what} was not reached` } };
    const timeoutMs = Math.min(limitMs, leftMs);
    const fact = await read(what, timeoutMs, () => attempt(timeoutMs));
    // The request's own timer may be the first to end.
    return 'failed' in fact && this.hasCut(timeoutMs, limitMs) ? { failed: { ...fact.failed, code: CODE } } : fact;
  }

  /**
   * Settles like `attempt`; resolves to null after the limit or at the end of the run, whichever is first.
   * @param attempt gets a signal that ends what it still reads
   */
  async settle<T>(limitMs: number, attempt: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const ended = new AbortController();
    try {
      return await settledWithin(attempt(ended.signal), Math.min(limitMs, this.leftMs), null);
    } finally {
      ended.abort();
    }
  }

  /** A finding for what the end of the run has cut off; null while it has time. */
  passed(subject: string): DoctorFinding | null {
    return this.leftMs < TOLERANCE_MS ? notReached(subject, { code: CODE, message: 'was not read' }) : null;
  }

  /**
   * Whether work was cut off that had less time than its own limit.
   * @param sparedMs what was left to the run when the work's time ended
   */
  hasCut(timeoutMs: number, limitMs: number, sparedMs = 0): boolean {
    return timeoutMs < limitMs && this.leftMs < sparedMs + TOLERANCE_MS;
  }

  /** All findings of the deadline as one, after the others. */
  merged(findings: readonly DoctorFinding[]): DoctorFinding[] {
    const others = findings.filter(({ code }) => code !== CODE);
    const subjects = [...new Set(findings.filter(({ code }) => code === CODE).map(({ subject }) => subject))];
    if (subjects.length === 0) return others;
    const more = subjects.length > MOST_SUBJECTS ? ` and ${subjects.length - MOST_SUBJECTS} more` : '';
    return [
      ...others,
      {
        severity: 'unchecked',
        code: CODE,
        subject: 'this run',
        message: `Not checked within the ${this.seconds} s of --deadline: ${subjects.slice(0, MOST_SUBJECTS).join(', ')}${more}.`,
        cure: 'Raise --deadline; what does not answer even then is a finding of its own.',
      },
    ];
  }
}

/** The run ended before the subject answered; null for other failures. */
export function notReached(subject: string, { code, message }: Failure): DoctorFinding | null {
  return code === CODE ? { severity: 'unchecked', code: CODE, subject, message } : null;
}

/** A fact that may be unreadable. The reason is kept, because it decides the finding. */
export type Read<T> = { readonly value: T } | { readonly failed: Failure };

export interface Failure {
  /** Of a KafkaError or ConnectError; empty for others. */
  readonly code: string;
  readonly message: string;
  /** HTTP status of a REST API. */
  readonly status?: number;
}

/** Never rejects. */
export async function read<T>(what: string, timeoutMs: number, attempt: () => Promise<T>): Promise<Read<T>> {
  try {
    const late = (): Error => new Error(`${what} took longer than ${timeoutMs / 1000} s`);
    return { value: await withDeadline(attempt(), timeoutMs, late) };
  } catch (error) {
    return { failed: failureOf(error) };
  }
}

function failureOf(error: unknown): Failure {
  const { code, message, status } = (error ?? {}) as { code?: unknown; message?: unknown; status?: unknown };
  return {
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' ? message : String(error),
    ...(typeof status === 'number' && { status }),
  };
}

/** Undefined if it could not be read. */
export function valueOf<T>(fact: Read<T> | undefined): T | undefined {
  return fact !== undefined && 'value' in fact ? fact.value : undefined;
}
