/**
 * Uploads blobs and posts queue messages, with the SAS that the service provides. Sources: analytics-sink §5.6, §5.7.
 */
import { createReadStream } from 'node:fs';
import type { Http, HttpResponse, HttpRequest } from './http';
import { responseError } from './http';
import { ServiceError } from './service-error';

/** Each piece is a job of the thread pool. */
const READ_BYTES = 256 * 1024;
const STORAGE_VERSION = '2021-08-06';

/** The blob's URL with the SAS. @throws ServiceError */
export async function uploadBlob(
  http: Http,
  container: string,
  name: string,
  file: { readonly path: string; readonly bytes: number },
  signal: AbortSignal,
): Promise<string> {
  const [base = '', sas = ''] = container.split('?');
  const url = `${base}/${encodeURIComponent(name)}?${sas}`;
  await requireStorage(http, {
    method: 'PUT',
    url,
    headers: {
      'x-ms-blob-type': 'BlockBlob',
      'x-ms-version': STORAGE_VERSION,
      'Content-Length': String(file.bytes),
      'Content-Type': 'application/octet-stream',
    },
    body: () => createReadStream(file.path, { highWaterMark: READ_BYTES }),
    signal,
  });
  return url;
}

/** @throws ServiceError */
export async function postMessage(http: Http, queue: string, message: object, signal: AbortSignal): Promise<void> {
  const [base = '', sas = ''] = queue.split('?');
  const text = Buffer.from(JSON.stringify(message)).toString('base64');
  await requireStorage(http, {
    method: 'POST',
    url: `${base}/messages?${sas}`,
    headers: { 'Content-Type': 'application/xml', 'x-ms-version': STORAGE_VERSION },
    body: `<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`,
    signal,
  });
}

/**
 * Maps to `refresh` what new resources may solve: 403, an expired SAS; 404, a container or queue that no longer exists;
 * no response, storage that may have moved.
 */
export async function requireStorage(
  http: Http,
  request: HttpRequest,
  accepted: readonly number[] = [],
): Promise<HttpResponse> {
  const answer = await http.send(request).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || error.kind !== 'transient') throw error;
    throw new ServiceError(error.message, 'refresh', { cause: error.cause });
  });
  if ((answer.status >= 200 && answer.status < 300) || accepted.includes(answer.status)) return answer;
  const error = responseError(new URL(request.url), answer);
  if (answer.status !== 403 && answer.status !== 404) throw error;
  throw new ServiceError(error.message, 'refresh', {
    status: answer.status,
    ...(error.serviceCode && { serviceCode: error.serviceCode }),
  });
}

/** Whether storage could not be reached, rather than rejected the request: another URL may work. */
export function isUnreachable(error: ServiceError): boolean {
  return error.kind === 'refresh' && error.status === null;
}
