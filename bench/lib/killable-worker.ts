/** Workers that a run kills and freezes: what leaves the group is missed after seconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startWorker, type StartedWorker } from '../../dev/services/worker';

export const SESSION_MS = 6000;

export async function startKillable(
  bootstrapServers: string,
  group: string,
  settings: Readonly<Record<string, string>>,
): Promise<StartedWorker> {
  const worker = await startWorker({
    bootstrapServers,
    group,
    settings: {
      'scheduled.rebalance.max.delay.ms': '0',
      'session.timeout.ms': String(SESSION_MS),
      'heartbeat.interval.ms': '1000',
      'key.converter.schemas.enable': 'false',
      'value.converter.schemas.enable': 'false',
      ...settings,
    },
  });
  await worker.ready();
  return worker;
}

/** Freezes the worker for longer than its session, wakes it beside the next one, and kills it. Returns the next. */
export async function freezeBeside(
  worker: StartedWorker,
  start: () => Promise<StartedWorker>,
  awakeMs: number,
  beforeEnd: () => void = () => undefined,
): Promise<StartedWorker> {
  process.kill(worker.pid, 'SIGSTOP');
  const expired = sleep(SESSION_MS + 2000);
  const next = await start();
  await expired;
  // It wakes beside its successor, which has its work by now.
  process.kill(worker.pid, 'SIGCONT');
  await sleep(awakeMs);
  beforeEnd();
  await worker.crash();
  return next;
}
