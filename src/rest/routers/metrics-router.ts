/** `GET /metrics`: metrics of the worker that receives the request. Source: connect-runtime §9 "Prometheus form". */
import { exposition } from '../../metrics/exposition';
import type { RestContext } from './context';
import type { Resource } from '../requests/route';

/** Prometheus text format. */
const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function metricsResources({ herderIfReady, version, commit, startedAt }: RestContext): readonly Resource[] {
  return [
    {
      path: '/metrics',
      anyType: ['GET'],
      textType: TEXT_TYPE,
      methods: {
        GET: async () => {
          const found = herderIfReady()?.figures() ?? null;
          const figures = found && { ...found, app: { clientId: found.clientId, version, commit, startedAt } };
          return { status: 200, text: await exposition(figures) };
        },
      },
    },
  ];
}
