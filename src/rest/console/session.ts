/** `GET /ui/api/session`: who asks, and what the caller may do. */
import { ok, type Resource } from '../requests/route';
import type { Session } from './api';
import type { ConsoleContext } from './console-context';

export function sessionResource(context: ConsoleContext, hasLoggers: boolean): Resource {
  return {
    path: '/ui/api/session',
    methods: {
      GET: ({ caller }) =>
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
        } satisfies Session),
    },
  };
}
