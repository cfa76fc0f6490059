/**
 * Marks of requests between workers, which only workers of the group can make. They are made from the session key;
 * without one there are none.
 */
import type { IncomingMessage } from 'node:http';
import {
  FORWARDED_HEADER,
  FORWARDED_SECRET,
  forwardedMark,
  isForwardedMark,
} from '../../cluster/forwarding/forwarded-mark';
import type { ForwardRequest } from '../../cluster/forwarding/forwarding';
import { isInternalMark, MARK_HEADER, MARK_SECRET } from '../../cluster/forwarding/internal-marks';
import { AUTHORIZATION_HEADER } from '../../cluster/forwarding/session-key';
import type { Herder } from '../../cluster/herder';
import type { IsWorker } from '../auth/access';
import type { IsForwarded } from '../auth/audit-log';
import type { MarkForwarded } from './forward';

const WORKER_HEADER = 'X-Millrace-Worker';
/** Not that of forwarded requests: one mark must not be good for the other purpose. */
const WORKER_SECRET = `${FORWARDED_SECRET} for the console`;

export interface ForwardedMarks {
  /** Without a session key both workers log the change. */
  readonly mark: MarkForwarded;
  readonly isForwarded: IsForwarded;
}

/** Marks requests that this worker forwards, and recognizes those that other workers of the group have forwarded. */
export function forwardedMarks(herder: () => Herder | null, now: () => number = Date.now): ForwardedMarks {
  const secret = (): Buffer | null => herder()?.groupSecret(FORWARDED_SECRET) ?? null;
  return {
    mark: (request): Record<string, string> => {
      const key = secret();
      return key ? { [FORWARDED_HEADER]: forwardedMark(key, request, now()) } : {};
    },
    isForwarded: ({ method = '', headers }, path) => {
      const mark = headers[FORWARDED_HEADER.toLowerCase()];
      const key = typeof mark === 'string' ? secret() : null;
      const request = { method, path, authorization: headers.authorization ?? null };
      return key !== null && isForwardedMark(key, request, mark as string, now());
    },
  };
}

/** `path`: express pattern of the route. */
type IsProven = (request: Pick<IncomingMessage, 'headers'>, path: string, connector: string) => boolean;

/** Whether the headers of an internal request prove, before its body is read, that a worker of the group sends it. */
export function internalProof(herder: () => Herder | null): IsProven {
  return ({ headers }, path, connector) => {
    const mark = headers[MARK_HEADER.toLowerCase()];
    const signature = headers[AUTHORIZATION_HEADER.toLowerCase()];
    if (typeof mark !== 'string' || typeof signature !== 'string') return false;
    const secret = herder()?.groupSecret(MARK_SECRET) ?? null;
    const kind = path.endsWith('/fence') ? 'fence' : 'tasks';
    return secret !== null && isInternalMark(secret, kind, connector, { mark, signature });
  };
}

export interface WorkerMarks {
  /**
   * Sends a request with a mark. Without a session key there is none: then the caller's credentials are sent, but over
   * HTTPS only.
   */
  readonly send: ForwardRequest;
  readonly isWorker: IsWorker;
}

/**
 * Requests of workers to each other, for the console and the log lines of a connector, without the caller's
 * credentials: a member's URL is what it wrote into the group, and may be a stranger's, or unencrypted.
 */
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
