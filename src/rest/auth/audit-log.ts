/**
 * One log line for each change that a client requests: who, from where, what, and with which result. Lines contain
 * neither bodies nor queries nor credentials.
 */
import type { IncomingMessage } from 'node:http';
import { boundedText } from '@millrace/texts/redaction';
import { quoting } from '../../logging/line-subject';
import type { Logger } from '../../logging/logger';
import type { RequiredRole } from './roles';

export interface AuditedChange {
  readonly request: Pick<IncomingMessage, 'method' | 'headers'>;
  /** The client's address, read when the request arrived: a closed socket has none. */
  readonly remote: string | null;
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly route: RequiredRole;
  /** Null: not authenticated. */
  readonly user: string | null;
  readonly connector: string | null;
  readonly status: number;
}

/** Whether another worker of the group has forwarded the request, and has logged it. */
export type IsForwarded = (request: AuditedChange['request'], path: string) => boolean;

const READS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
/** Statuses of a signature that is wrong, or that cannot be checked. */
const REJECTED = new Set([400, 403]);
const MAX_LENGTH = 256;
/** Control and format characters, line ends, and lone surrogates. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** Names of users that need no quotes. */
const SIMPLE = /^[\p{L}\p{N}._@+|/\\-]+$/u;

export class AuditLog {
  constructor(
    private readonly logger: Logger,
    private readonly isForwarded: IsForwarded,
    /** Whether signatures of requests between workers are verified. */
    private readonly areSignaturesVerified: () => boolean,
  ) {}

  record(change: AuditedChange): void {
    const { request, path, route, user, connector, status } = change;
    const { method = '' } = request;
    if (!this.isChange(request, route, status) || this.isForwarded(request, path)) return;
    const shown = { user: printable(user), path: printable(path), connector: printable(connector) };
    const remote = printable(change.remote);
    this.logger.info(
      `${method} ${shown.path} by ${quoted(shown.user) ?? 'an unauthenticated caller'} from ${remote ?? 'an unknown address'}: ${status}`,
      // The words of a caller: a placeholder in them would tell which are secrets.
      { user: shown.user, remote, method, path: shown.path, connector: shown.connector, status, ...quoting(undefined) },
    );
  }

  /**
   * Validation changes nothing. A request with a signature is another worker's, unless the signature is rejected, or is
   * not even verified: then anyone may have sent it.
   */
  private isChange(
    { method = '', headers }: AuditedChange['request'],
    { role }: RequiredRole,
    status: number,
  ): boolean {
    if (READS.has(method)) return false;
    if (role !== 'signature') return role !== 'reader';
    return headers['x-connect-authorization'] === undefined || REJECTED.has(status) || !this.areSignaturesVerified();
  }
}

/** A name that could be read as another part of the line is quoted: users of an identity provider may choose theirs. */
function quoted(user: string | null): string | null {
  return user === null || SIMPLE.test(user) ? user : `"${user.replaceAll('"', '\\u0022')}"`;
}

function printable(text: string | null): string | null {
  if (text === null) return null;
  const escaped = text
    .slice(0, MAX_LENGTH + 1)
    .replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return boundedText(escaped + text.slice(MAX_LENGTH + 1), MAX_LENGTH);
}
