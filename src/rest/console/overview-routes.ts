/** `GET /ui/api/overview`, and `GET /ui/api/worker`, which workers answer each other. */
import { SharedText } from '../http/shared-text';
import { encodeJson } from '../json/encode';
import { flag, ok, type ConsoleRoute } from '../requests/route';
import type { Overview } from '@millrace/console';
import { REPORT_PATH } from './group-reports';
import type { RateHistory } from './rate-history';
import type { WorkerReport } from './worker-report';

export interface OverviewSources {
  readonly overview: (authorization: string | null) => Promise<Overview>;
  readonly history: Pick<RateHistory, 'all'>;
  /** This worker's own report. */
  readonly own: () => Promise<WorkerReport>;
}

/** One overview as text, with and without the history. */
class SharedOverview {
  private plain: SharedText | null = null;
  private withHistory: SharedText | null = null;

  constructor(
    private readonly overview: Overview,
    private readonly history: OverviewSources['history'],
  ) {}

  text(withHistory: boolean): SharedText {
    if (!withHistory) return (this.plain ??= new SharedText(encodeJson(this.overview)));
    return (this.withHistory ??= new SharedText(encodeJson({ ...this.overview, history: this.history.all() })));
  }
}

export function overviewRoutes({ overview, history, own }: OverviewSources): readonly ConsoleRoute[] {
  // Requests that arrive while one is answered get the same text, so their number costs neither time nor memory.
  let current: Promise<SharedOverview> | null = null;
  const compute = async (authorization: string | null): Promise<SharedOverview> =>
    new SharedOverview(await overview(authorization), history);
  return [
    {
      method: 'GET',
      path: '/ui/api/overview',
      role: 'reader',
      run: async (call) => {
        const authorization = call.request.headers.authorization ?? null;
        const shared = await (current ??= compute(authorization).finally(() => (current = null)));
        return { status: 200, ...(await shared.text(flag(call, 'history') === true).reply(call.request)) };
      },
    },
    { method: 'GET', path: REPORT_PATH, role: 'reader', forWorkers: true, run: async () => ok(await own()) },
  ];
}
