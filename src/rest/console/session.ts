/** Who uses the console: `GET /ui/api/session`, and the request for credentials. */
import type { CredentialType } from '../auth/access';
import { ok, type ConsoleRoute, type ErrorReply } from '../requests/route';
import type { Session, SignIn } from '@millrace/console';
import type { ConsoleContext } from './console-context';

export function sessionRoute(context: ConsoleContext, hasLoggers: boolean): ConsoleRoute {
  return {
    method: 'GET',
    path: '/ui/api/session',
    role: 'reader',
    run: ({ caller }) =>
      ok({
        user: caller.user,
        // A caller without a role has been refused.
        role: caller.role ?? 'reader',
        worker: context.herder().workerId,
        millraceVersion: context.millraceVersion,
        connectVersion: context.version,
        groupId: context.groupId,
        hasLoggers,
        tracksTopics: context.tracksTopics,
        docsUrl: context.docsUrl,
      } satisfies Session),
  };
}

const SIGN_IN = 'Sign in with credentials that this worker accepts';

/**
 * The answer to a request without credentials, or with wrong ones, has no `WWW-Authenticate`: the console asks for
 * the credentials, and no dialog of the browser may do so, too.
 */
export function signIn(accepts: readonly CredentialType[]): (reply: ErrorReply) => ErrorReply {
  return (reply) => {
    if (reply.status !== 401) return reply;
    // Java's text is the whole body, and names no reason.
    const message = reply.text === undefined ? (reply.body.message ?? SIGN_IN) : SIGN_IN;
    return { status: 401, body: { error_code: 401, message, accepts } satisfies SignIn, typed: true };
  };
}
