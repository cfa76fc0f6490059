/** SASL PLAIN: the handshake, then a bare token (handshake version 0) or SaslAuthenticate requests. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Session } from '../requests/handler';
import type { RequestOf, ResponseOf, SASL_AUTHENTICATE, SASL_HANDSHAKE } from '@millrace/kafka-protocol';
import { ErrorCode } from '../protocol/errors';

/** User name → password. */
export type Users = ReadonlyMap<string, string>;

const MECHANISM = 'PLAIN';
const NO_BYTES = Buffer.alloc(0);

export function handshake(
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
      session.authenticated = isValidToken(token, users);
      return session.authenticated ? NO_BYTES : null;
    };
  }
  return { errorCode: ErrorCode.NONE, mechanisms };
}

export function authenticate(
  { authBytes }: RequestOf<typeof SASL_AUTHENTICATE>,
  session: Session,
  users: Users,
): ResponseOf<typeof SASL_AUTHENTICATE> {
  if (session.saslMechanism === null || session.authenticated) {
    return {
      errorCode: ErrorCode.ILLEGAL_SASL_STATE,
      errorMessage: 'SaslAuthenticate requires a SaslHandshake first.',
    };
  }
  session.saslMechanism = null;
  session.authenticated = isValidToken(authBytes, users);
  return session.authenticated
    ? { errorCode: ErrorCode.NONE }
    : {
        errorCode: ErrorCode.SASL_AUTHENTICATION_FAILED,
        errorMessage: 'Authentication failed: Invalid username or password',
      };
}

/** The response of a listener without authentication, as in Apache Kafka, so that clients fail at once. */
export function rejectHandshake(): ResponseOf<typeof SASL_HANDSHAKE> {
  return { errorCode: ErrorCode.ILLEGAL_SASL_STATE, mechanisms: [] };
}

export function rejectAuthenticate(): ResponseOf<typeof SASL_AUTHENTICATE> {
  return { errorCode: ErrorCode.ILLEGAL_SASL_STATE, errorMessage: 'This listener does not use authentication.' };
}

/** A PLAIN token: authorization id (may be empty), user and password, separated by NUL. */
function isValidToken(token: Buffer, users: Users): boolean {
  const parts = token.toString('utf8').split('\0');
  if (parts.length !== 3) return false;
  const [authorizationId, user, password] = parts as [string, string, string];
  const expected = users.get(user);
  // Hashed to equal lengths, and compared for unknown users too, so that timing reveals nothing.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const matches = timingSafeEqual(digest(password), digest(expected ?? ''));
  return expected !== undefined && matches && (authorizationId === '' || authorizationId === user);
}
