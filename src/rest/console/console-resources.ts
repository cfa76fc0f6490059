/** What the console in the browser gets from its worker, under `/ui/api`. */
import type { Resource } from '../requests/route';
import { changesResources } from './changes-resources';
import type { ConsoleContext } from './console-context';
import { sessionResource } from './session';
import { signIn } from './sign-in';

/** `hasLoggers`: the listener also serves the admin routes. */
export type ConsoleResources = (hasLoggers: boolean) => readonly Resource[];

export function createConsole(context: ConsoleContext): ConsoleResources {
  const onError = signIn(context.accepts);
  return (hasLoggers) =>
    [sessionResource(context, hasLoggers), ...changesResources(context)].map((resource) => ({ ...resource, onError }));
}
