/** What changed lately, for the console. */
import { shownChanges } from '../routes/changes';
import type { RestContext } from '../routes/context';
import { ok, type ConsoleRoute } from '../requests/route';

export function consoleChangeRoutes(context: RestContext): readonly ConsoleRoute[] {
  return [
    {
      method: 'GET',
      path: '/ui/api/changes',
      role: 'reader',
      run: async (call) => ok(await shownChanges(context, call.query.get('connector'))),
    },
  ];
}
