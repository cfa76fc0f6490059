/** `GET /ui/api/worker`, which the workers of a group answer each other. */
import { ok, type ConsoleRoute } from '../requests/route';
import { REPORT_PATH } from './group-reports';
import type { WorkerReport } from './worker-report';

export function reportRoute(own: () => Promise<WorkerReport>): ConsoleRoute {
  return { method: 'GET', path: REPORT_PATH, role: 'reader', forWorkers: true, run: async () => ok(await own()) };
}
