import type { ConnectorStatus, StartedWorker } from '../../dev/services/worker';

const IDLE_SOURCE = { 'connector.class': 'dev.IdleSourceConnector', tasks: '1', 'tasks.max': '1' };

/** Registers connectors with one idle task each, and waits until they run. (Default: sources of `dev/plugins`) */
export async function addIdleConnectors(
  worker: StartedWorker,
  count: number,
  config: Record<string, string> = IDLE_SOURCE,
): Promise<void> {
  for (let i = 0; i < count; i++) await worker.register({ name: `c${i}`, config });
  for (let i = 0; i < count; i++) await worker.running(`c${i}`);
}

/** Whether `count` connectors run, with a task each. */
export async function allRunning(worker: StartedWorker, count: number): Promise<boolean> {
  const answer = await worker.request('GET', '/connectors?expand=status');
  if (answer.status !== 200) return false;
  const all = Object.values(answer.json as Record<string, { status: ConnectorStatus }>);
  const running = all.filter(({ status: { connector, tasks } }) =>
    [connector, ...tasks].every(({ state }) => state === 'RUNNING'),
  );
  return running.filter(({ status }) => status.tasks.length > 0).length === count;
}
