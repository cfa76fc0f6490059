/** Marks requests that this worker forwards, and recognizes those that other workers of the group have forwarded. */
import type { Herder } from '../../cluster/herder';
import {
  FORWARDED_HEADER,
  FORWARDED_SECRET,
  forwardedMark,
  isForwardedMark,
} from '../../cluster/forwarding/forwarded-mark';
import type { IsForwarded } from '../auth/audit-log';
import type { MarkForwarded } from './forward';

export interface ForwardedMarks {
  /** Without a session key there is no mark, and both workers log the change. */
  readonly mark: MarkForwarded;
  readonly isForwarded: IsForwarded;
}

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
