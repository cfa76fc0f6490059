/** `GET /metrics`: metrics of the worker that receives the request. Source: connect-runtime §9 "Prometheus form". */
import { exposition } from '../../metrics/exposition';
import { SharedText } from '../http/shared-text';
import type { RestContext } from './context';
import type { Route } from '../requests/route';

/** Prometheus text format. */
const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function metricsRoute({
  herderIfReady,
  metrics: rest,
  jvms = () => [],
  version,
  commit,
  startedAt,
}: RestContext): Route {
  // Requests that arrive while one is answered get the same text, so their number costs neither time nor memory.
  let current: Promise<SharedText> | null = null;
  const scrape = async (): Promise<SharedText> => {
    const found = herderIfReady()?.figures() ?? null;
    const figures = found && {
      ...found,
      app: { clientId: found.clientId, version, commit, startedAt },
      rest,
      jvms: jvms(),
    };
    return new SharedText(await exposition(figures));
  };
  return {
    method: 'GET',
    path: '/metrics',
    role: 'reader',
    anyType: true,
    textType: TEXT_TYPE,
    doc: {
      id: 'metrics',
      summary: "This worker's metrics in Prometheus text format",
      answers: { 200: ['The metrics', 'Metrics'] },
    },
    run: async ({ request }) => {
      const shared = await (current ??= scrape().finally(() => (current = null)));
      return { status: 200, ...(await shared.reply(request)) };
    },
  };
}
