/**
 * SASL PLAIN: the handshake, and the exchange after it in its old form (bare tokens) and its new one
 * (SaslAuthenticate).
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Session } from '../network/connection';
import type { SASL_AUTHENTICATE, SASL_HANDSHAKE } from '../protocol/apis/connection';
import { ErrorCode } from '../protocol/errors';
import type { RequestOf, ResponseOf } from '../protocol/layout';

/** User name → password. */
export type Users = ReadonlyMap<string, string>;

const MECHANISM = 'PLAIN';
const NO_BYTES = Buffer.alloc(0);

export function answerHandshake(
  { mechanism }: RequestOf<typeof SASL_HANDSHAKE>,
  version: number,
  session: Session,
  users: Users,
): ResponseOf<typeof SASL_HANDSHAKE> {
  const mechanisms = [MECHANISM];
  if (mechanism !== MECHANISM) return { errorCode: ErrorCode.UNSUPPORTED_SASL_MECHANISM, mechanisms };
  session.saslMechanism = mechanism;
  if (version === 0) {
    session.rawSasl = (token) => {
      session.rawSasl = null;
      session.authenticated = isKnown(token, users);
      return session.authenticated ? NO_BYTES : null;
    };
  }
  return { errorCode: ErrorCode.NONE, mechanisms };
}

export function answerAuthenticate(
  { authBytes }: RequestOf<typeof SASL_AUTHENTICATE>,
  session: Session,
  users: Users,
): ResponseOf<typeof SASL_AUTHENTICATE> {
  if (session.saslMechanism === null || session.authenticated) {
    return { errorCode: ErrorCode.ILLEGAL_SASL_STATE, errorMessage: 'SaslAuthenticate without a handshake before it.' };
  }
  session.saslMechanism = null;
  session.authenticated = isKnown(authBytes, users);
  return session.authenticated
    ? { errorCode: ErrorCode.NONE }
    : {
        errorCode: ErrorCode.SASL_AUTHENTICATION_FAILED,
        errorMessage: 'Authentication failed: Invalid username or password',
      };
}

/** Where no one has to log in, as Apache Kafka answers it at a plain listener: who tries learns of it at once. */
export function refuseHandshake(): ResponseOf<typeof SASL_HANDSHAKE> {
  return { errorCode: ErrorCode.ILLEGAL_SASL_STATE, mechanisms: [] };
}

export function refuseAuthenticate(): ResponseOf<typeof SASL_AUTHENTICATE> {
  return { errorCode: ErrorCode.ILLEGAL_SASL_STATE, errorMessage: 'This listener does not authenticate anyone.' };
}

/** A PLAIN token: authorization id (may be empty), user, password, with NUL between them. */
function isKnown(token: Buffer, users: Users): boolean {
  const parts = token.toString('utf8').split('\0');
  if (parts.length !== 3) return false;
  const [authorizationId, user, password] = parts as [string, string, string];
  const expected = users.get(user);
  // Hashed to one length, and compared for strangers as well, so that time tells nothing.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const matches = timingSafeEqual(digest(password), digest(expected ?? ''));
  return expected !== undefined && matches && (authorizationId === '' || authorizationId === user);
}
