/** Reads replies of the REST API without trusting their shape. */
import { ConnectError } from '@millrace/sdk';

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
