/** The answer to a request of the console without credentials, or with wrong ones. */
import type { CredentialType } from '../auth/access';
import type { ErrorReply } from '../requests/route';
import type { SignIn } from './api';

const SIGN_IN = 'Sign in with credentials that this worker accepts';

/** Without `WWW-Authenticate`: the console asks for the credentials, and no dialog of the browser may do so, too. */
export function signIn(accepts: readonly CredentialType[]): (reply: ErrorReply) => ErrorReply {
  return (reply) => {
    if (reply.status !== 401) return reply;
    // Java's text is the whole body, and names no reason.
    const message = reply.text === undefined ? (reply.body.message ?? SIGN_IN) : SIGN_IN;
    return { status: 401, body: { error_code: 401, message, accepts } satisfies SignIn, typed: true };
  };
}
