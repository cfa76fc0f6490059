/**
 * What workers ask each other for the console. A request carries a mark that only workers of the group can make, not
 * the caller's credentials: a member's URL is what it wrote into the group, and may be a stranger's, or unencrypted.
 */
import { FORWARDED_SECRET, forwardedMark, isForwardedMark } from '../../cluster/forwarding/forwarded-mark';
import type { ForwardRequest } from '../../cluster/forwarding/forwarding';
import type { Herder } from '../../cluster/herder';
import type { IsWorker } from '../auth/access';

const WORKER_HEADER = 'X-Millrace-Worker';
/** Not that of forwarded requests: one mark must not be good for the other purpose. */
const WORKER_SECRET = `${FORWARDED_SECRET} for the console`;

export interface WorkerMarks {
  /**
   * Sends a request with a mark. Without a session key there is none: then the caller's credentials are sent, but over
   * HTTPS only.
   */
  readonly send: ForwardRequest;
  readonly isWorker: IsWorker;
}

export function workerMarks(
  herder: () => Herder | null,
  send: ForwardRequest,
  now: () => number = Date.now,
): WorkerMarks {
  const secret = (): Buffer | null => herder()?.groupSecret(WORKER_SECRET) ?? null;
  return {
    send: async (request) => {
      const { url, method, path, headers, authorization = null } = request;
      const key = secret();
      if (key === null)
        return await send({ ...request, authorization: url.startsWith('https:') ? authorization : null });
      const mark = forwardedMark(key, { method, path, authorization: null }, now());
      return await send({ ...request, authorization: null, headers: { ...headers, [WORKER_HEADER]: mark } });
    },
    isWorker: ({ method = '', url = '', headers }) => {
      const mark = headers[WORKER_HEADER.toLowerCase()];
      const key = typeof mark === 'string' ? secret() : null;
      const path = url.split('?', 1)[0] as string;
      return key !== null && isForwardedMark(key, { method, path, authorization: null }, mark as string, now());
    },
  };
}
