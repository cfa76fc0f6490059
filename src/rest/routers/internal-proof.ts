/** Whether the headers of an internal request prove, before its body is read, that a worker of the group sends it. */
import type { IncomingMessage } from 'node:http';
import { isInternalMark, MARK_HEADER, MARK_SECRET } from '../../cluster/forwarding/internal-marks';
import { AUTHORIZATION_HEADER } from '../../cluster/forwarding/session-key';
import type { Herder } from '../../cluster/herder';

/** `path`: express pattern of the route. */
export type IsProven = (request: Pick<IncomingMessage, 'headers'>, path: string, connector: string) => boolean;

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
