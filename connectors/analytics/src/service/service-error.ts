/** A failed call, and whether a retry can help. Source: analytics-sink §4.5. */
import { ConnectError } from '@millrace/sdk';

type FailureKind =
  /** Worth a retry. */
  | 'transient'
  /** The token or the SAS has expired: renew it, then retry. */
  | 'refresh'
  /** A retry does not help. */
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
   * Also read where this is the cause of a task's failure: the task is then restarted automatically. A rejected login
   * needs an operator.
   */
  override readonly retriable: boolean;
  readonly serviceCode: string | null;
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  readonly retryAfterMs: number;
}

/** The service's own texts may repeat a URL with its SAS. */
function withoutAccess(text: string): string {
  return text.replaceAll(/\?[^\s"'<>?]*\bsig=[^\s"'<>]*/gi, '?…');
}

const TRANSIENT = new Set([408, 429, 500, 502, 503, 504, 520]);

/** From the status and, where the service sets it, `@permanent`. */
export function failureKind(status: number, permanent: boolean | null): FailureKind {
  if (status === 401) return 'refresh';
  if (permanent === false) return 'transient';
  return TRANSIENT.has(status) ? 'transient' : 'permanent';
}

/** Wraps anything thrown as a ServiceError, permanent unless it is one already. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ServiceError(message, 'permanent', { cause: error });
}
