/** Paths of the REST API, and its replies, whose shape is not trusted. */
import { ConnectError } from '@millrace/sdk';

/** A path with encoded names. @example path`/connectors/${name}/status` */
export function path(parts: TemplateStringsArray, ...names: readonly string[]): string {
  return parts.map((part, i) => (i === 0 ? part : `${encodeURIComponent(names[i - 1] as string)}${part}`)).join('');
}

/** A reply that is not 2xx. The message is the worker's. */
export class RestError extends ConnectError {
  constructor(
    readonly status: number,
    message: string,
    request: string,
    /** The worker does not have the path at all. */
    readonly isUnknownPath = false,
  ) {
    super(message, {
      ...(status === 404 ? { code: 'REST_NOT_FOUND' } : { code: 'REST_REFUSED' }),
      place: { request, status },
    });
  }
}

/** @param request for the error, e.g. `GET /connectors` @throws ConnectError `REST_REPLY_INVALID` */
export function objectOf(value: unknown, request: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw invalid(request);
}

/** @throws ConnectError `REST_REPLY_INVALID` */
export function listOf(value: unknown, request: string): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  throw invalid(request);
}

/** Of a member that may be missing. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}

function invalid(request: string): ConnectError {
  return new ConnectError(
    `The reply to ${request} does not have the shape of Kafka Connect's. Is it a Connect worker?`,
    {
      code: 'REST_REPLY_INVALID',
    },
  );
}
