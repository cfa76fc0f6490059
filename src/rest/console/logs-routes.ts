/** Recent log lines of a connector, from all workers, for the console. */
import { ok, param, type ConsoleRoute } from '../requests/route';
import type { RestContext } from '../routes/context';
import type { LogLines } from '@millrace/console';

export function consoleLogRoutes({ logs }: Pick<RestContext, 'logs'>): readonly ConsoleRoute[] {
  return [
    {
      method: 'GET',
      path: '/ui/api/connectors/:name/logs',
      role: 'reader',
      run: async (call) => {
        const { lines, missing } = await logs.ofGroup(param(call, 'name'), call.request.headers.authorization ?? null);
        const shown = lines.map(({ worker_id: worker, ...line }) => ({ ...line, worker }));
        return ok({ lines: shown, missing } satisfies LogLines);
      },
    },
  ];
}
