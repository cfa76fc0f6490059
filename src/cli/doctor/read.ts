/** A fact that may be unreadable. The reason is kept, because it decides the finding. */
import { withDeadline } from '@millrace/sdk';

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

export function failureOf(error: unknown): Failure {
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
