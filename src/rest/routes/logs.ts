/** `GET /connectors/NAME/logs`, an endpoint that Java does not have. Workers request it from each other. */
import { RestError } from '../http/rest-error';
import { flag, FORWARD, ok, param, wholeNumber, type Route } from '../requests/route';
import type { RestContext } from './context';
import { MAX_LINES } from './group-logs';

export function logRoutes({ herder, logs }: RestContext): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/connectors/:name/logs',
      role: 'reader',
      forWorkers: true,
      doc: {
        id: 'getConnectorLogs',
        summary: 'Recent log lines of a connector and its tasks, from all workers',
        query: [
          {
            name: 'limit',
            description: `At most this many, the newest, from 1 to ${MAX_LINES}. (Default: ${MAX_LINES})`,
          },
          { name: 'since', description: 'Only lines from this time on, in milliseconds since the epoch.' },
          { ...FORWARD, description: 'false: only the lines of the worker that answers.' },
        ],
        answers: { 200: ['The lines, oldest first', 'LogLines'] },
      },
      run: async (call) => {
        const name = param(call, 'name');
        const limit = wholeNumber(call, 'limit', 1, MAX_LINES) ?? MAX_LINES;
        const since = wholeNumber(call, 'since', 0, Number.MAX_SAFE_INTEGER) ?? 0;
        const isOwn = flag(call, 'forward') === false;
        const authorization = call.request.headers.authorization ?? null;
        const { lines, missing } = await (isOwn ? logs.own(name) : logs.ofGroup(name, authorization));
        // A deleted connector may still have lines.
        if (!isOwn && lines.length === 0 && !herder().reads.connectors().includes(name))
          throw new RestError(404, `Connector ${name} not found`);
        return ok({ lines: lines.filter(({ at }) => at >= since).slice(-limit), missing });
      },
    },
  ];
}
