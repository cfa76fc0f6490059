/** The text of `GET /metrics`: Java's groups, and the process. Nothing is watched or loaded before the first scrape. */
import { underscored, type Group } from './attribute';
import { ProcessMetrics } from './process-metrics';
import { familyText } from './text-format';
import { COORDINATOR, APP, CONNECTOR, CONNECTOR_TASKS, REBALANCE, WORKER } from './worker-groups';
import type { AppFigures, ConnectorFigures, MembershipFigures, TaskStateCounts, WorkerFigures } from './worker-groups';
import { CONNECTOR_TASK, SINK_TASK, SOURCE_TASK, TASK_ERRORS, type TaskFigures } from './task-groups';

/** What a worker has measured, at one moment. */
export interface Figures {
  readonly connectors: readonly ConnectorFigures[];
  readonly tasks: readonly TaskFigures[];
  readonly taskStates: readonly TaskStateCounts[];
  readonly worker: WorkerFigures;
  readonly membership: MembershipFigures;
  readonly app: AppFigures;
}

let watched: ProcessMetrics | null = null;

/** `figures` null: the worker has none yet, but its process can be looked at. */
export async function exposition(figures: Figures | null, now = Date.now()): Promise<string> {
  watched ??= new ProcessMetrics();
  const texts: string[] = [];
  if (figures !== null) {
    const add = <T>(group: Group<T>, all: readonly T[]): void => void texts.push(...groupTexts(group, all, now));
    const { tasks, membership } = figures;
    add(CONNECTOR, figures.connectors);
    add(CONNECTOR_TASK, tasks);
    add(SOURCE_TASK, ofType(tasks, 'source'));
    add(SINK_TASK, ofType(tasks, 'sink'));
    add(TASK_ERRORS, ofAll(tasks));
    add(WORKER, [figures.worker]);
    add(CONNECTOR_TASKS, figures.taskStates);
    add(REBALANCE, [membership]);
    add(COORDINATOR, [membership]);
    add(APP, [figures.app]);
  }
  texts.push(...(await watched.families()).map(familyText));
  return texts.join('');
}

const ofAll = (tasks: readonly TaskFigures[]) =>
  tasks.map(({ connector, task, metrics }) => ({
    connector,
    task,
    errors: metrics.errors,
    source: metrics.source,
    sink: metrics.sink,
  }));
const ofType = (tasks: readonly TaskFigures[], type: 'source' | 'sink') =>
  ofAll(tasks.filter(({ metrics }) => metrics.type === type));

function groupTexts<T>(group: Group<T>, all: readonly T[], now: number): string[] {
  return group.attributes.map(({ name, help, type, samples }) =>
    familyText({
      name: `kafka_connect_${underscored(group.name)}_${underscored(name)}`,
      help,
      type,
      samples: all.flatMap((of) => {
        const labels = group.labels(of);
        return samples(of, now).map(({ labels: own, value }) => ({ labels: { ...labels, ...own }, value }));
      }),
    }),
  );
}
