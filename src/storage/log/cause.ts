/**
 * Who or what caused a record of a storage topic, in a header of the record. Java workers ignore the headers of these
 * topics. Headers are hints for people: no decision may depend on them.
 */
import type { RecordHeader } from '@millrace/kafka-client';

export interface Cause {
  /** `user`: a request. `automatic`: Millrace itself. `unknown`: a Java worker, or a version that wrote no causes. */
  readonly by: 'user' | 'automatic' | 'unknown';
  /** Null: not authenticated. */
  readonly user: string | null;
  readonly detail: string | null;
  /** The record created its connector. Compaction removes the records that would tell. */
  readonly creates?: boolean;
}

/** The last restart of a connector or task. */
export interface Restart {
  /** Milliseconds since the epoch, by the worker's clock. */
  readonly at: number;
  readonly cause: Cause;
}

export const UNKNOWN_CAUSE: Cause = { by: 'unknown', user: null, detail: null };
const CAUSE_HEADER = 'millrace.cause';
const RESTART_HEADER = 'millrace.restart';

/** Of a header's value in bytes. Records of other writers may have longer ones. */
const MAX_BYTES = 1024;
/** Characters. */
const MAX_TEXT = 128;

export function byUser(user: string | null, detail: string | null = null): Cause {
  return { by: 'user', user, detail };
}

export function automatically(detail: string): Cause {
  return { by: 'automatic', user: null, detail };
}

export function causeHeaders(cause: Cause): readonly RecordHeader[] {
  return [{ key: CAUSE_HEADER, value: encode(cause) }];
}

export function restartHeaders(restart: Restart): readonly RecordHeader[] {
  return [{ key: RESTART_HEADER, value: encode(restart.cause, restart.at) }];
}

/** `UNKNOWN_CAUSE` without a readable header. */
export function readCause(headers: readonly RecordHeader[]): Cause {
  return decode(headers, CAUSE_HEADER)?.cause ?? UNKNOWN_CAUSE;
}

/** Null without a readable header. */
export function readRestart(headers: readonly RecordHeader[]): Restart | null {
  const found = decode(headers, RESTART_HEADER);
  return found !== null && found.at !== null ? { at: found.at, cause: found.cause } : null;
}

/** Texts of control characters, which JSON escapes, may exceed the limit and are left out. */
function encode({ by, user, detail, creates }: Cause, at?: number): Uint8Array {
  const value = Buffer.from(
    JSON.stringify({
      ...(at === undefined ? {} : { at }),
      by,
      ...(user === null ? {} : { user: bounded(user) }),
      ...(detail === null ? {} : { detail: bounded(detail) }),
      ...(creates === true ? { creates } : {}),
    }),
  );
  return value.length <= MAX_BYTES ? value : encode({ by, user: null, detail: null }, at);
}

function decode(headers: readonly RecordHeader[], name: string): { cause: Cause; at: number | null } | null {
  if (headers.length === 0) return null;
  const value = headers.findLast(({ key }) => key === name)?.value;
  if (!value || value.length > MAX_BYTES) return null;
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8'));
  } catch {
    return null;
  }
  if (typeof read !== 'object' || read === null) return null;
  const { at, by, user, detail, creates } = read as Record<string, unknown>;
  return {
    at: typeof at === 'number' && Number.isFinite(at) ? at : null,
    cause: {
      by: by === 'user' || by === 'automatic' ? by : 'unknown',
      user: typeof user === 'string' ? user : null,
      detail: typeof detail === 'string' ? detail : null,
      ...(creates === true ? { creates } : {}),
    },
  };
}

function bounded(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}
