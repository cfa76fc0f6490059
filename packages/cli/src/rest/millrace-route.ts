/** Requests to routes that only Millrace's workers have. */
import { ConnectError } from '@millrace/sdk';
import type { ConnectClient, RestRequest } from './connect-client';
import { RestError } from './reply';

/** @throws ConnectError `REST_NO_ROUTE` if the worker does not have the path; as `request` of the client does */
export async function requestMillrace<T>(client: ConnectClient, path: string, request: RestRequest = {}): Promise<T> {
  try {
    return await client.request<T>(path, request);
  } catch (error) {
    if (!(error instanceof RestError) || !error.isUnknownPath) throw error;
    throw new ConnectError(
      `${client.address} has no ${request.method ?? 'GET'} ${path.replace(/\?.*/, '')}: only Millrace's workers do. It is a worker of Java's Kafka Connect, or of an older version.`,
      { code: 'REST_NO_ROUTE', cause: error },
    );
  }
}
