/** What went wrong with a call, and whether trying again can help. Source: analytics-sink §4.5. */
import { ConnectError } from '@millrace/sdk';

export type FailureKind =
  /** Worth another try. */
  | 'transient'
  /** The login or the storage access has run out: get it anew, then try again. */
  | 'refresh'
  /** Trying again changes nothing. */
  | 'permanent';

export class ServiceError extends ConnectError {
  constructor(
    message: string,
    readonly kind: FailureKind,
    options: {
      readonly code?: string;
      readonly cause?: unknown;
      readonly place?: Readonly<Record<string, string | number>>;
      /** The service's own code, e.g. `BadRequest_TableNotExist`. */
      readonly serviceCode?: string;
      readonly status?: number;
      readonly retryAfterMs?: number;
    } = {},
  ) {
    super(withoutAccess(message), { code: 'ANALYTICS_SERVICE', ...options });
    this.retriable = kind === 'transient' && this.code !== 'ANALYTICS_LOGIN';
    this.serviceCode = options.serviceCode ?? null;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
  /**
   * Also as the cause of what a task fails with: once what is away is back, a restart helps. A login that is refused
   * waits for a person.
   */
  override readonly retriable: boolean;
  readonly serviceCode: string | null;
  /** HTTP; null when there was no answer. */
  readonly status: number | null;
  readonly retryAfterMs: number;
}

/** The service's own texts may repeat a URL that opens its storage. */
function withoutAccess(text: string): string {
  return text.replaceAll(/\?[^\s"'<>?]*\bsig=[^\s"'<>]*/gi, '?…');
}

const TRANSIENT = new Set([408, 429, 500, 502, 503, 504, 520]);

/** By status and, where the service says it, `@permanent`. */
export function failureKind(status: number, permanent: boolean | null): FailureKind {
  if (status === 401) return 'refresh';
  if (permanent === false) return 'transient';
  return TRANSIENT.has(status) ? 'transient' : 'permanent';
}

/** Anything thrown, as an error of the service. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ServiceError(message, 'permanent', { cause: error });
}
