/** An error in the service's format. Source: analytics-sink §5.4. */
export class KustoError extends Error {
  override readonly name = 'KustoError';

  constructor(
    /** E.g. `BadRequest_TableNotExist`. */
    readonly code: string,
    message: string,
    readonly options: {
      /** HTTP status. (Default: 400) */
      readonly status?: number;
      /** Retrying cannot help. (Default: true) */
      readonly permanent?: boolean;
      readonly retryAfterSeconds?: number;
    } = {},
  ) {
    super(message);
  }

  get status(): number {
    return this.options.status ?? 400;
  }
  get permanent(): boolean {
    return this.options.permanent ?? true;
  }

  /** The OneApi response body. */
  body(): object {
    return {
      error: {
        code: this.code,
        message: this.message,
        '@type': 'Kusto.DataNode.Exceptions.EmulatedException',
        '@message': this.message,
        '@context': {},
        '@permanent': this.permanent,
      },
    };
  }
}

export function badRequest(message: string, code = 'General_BadRequest'): KustoError {
  return new KustoError(code, message);
}

/** Converts anything thrown to an error of the service. */
export function asKustoError(error: unknown): KustoError {
  if (error instanceof KustoError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new KustoError('General_InternalServerError', message, { status: 500, permanent: false });
}
