/** `millrace get connectors` */
import { readConnectors, runningTasks } from '../connectors/connectors';
import { selectNamed } from '../connectors/name-pattern';
import { writeAnswer } from '../output/answer';
import { paintOf, paintState } from '../output/colours';
import type { Invocation } from '../program/command-spec';
import { withClient } from '../rest/clients';

export async function run(invocation: Invocation): Promise<number> {
  const all = await withClient(invocation, readConnectors);
  const connectors = selectNamed(all, invocation.args, 'connector', ({ name }) => name);
  const paint = paintOf(invocation.io);
  writeAnswer(
    invocation,
    connectors.map(({ name, type, class: className, status: { state, worker, tasks } }) => ({
      name,
      type,
      class: className,
      state,
      worker,
      tasks: tasks.map((task) => ({ id: task.id, state: task.state, worker: task.worker })),
    })),
    () => ({
      headings: ['NAME', 'TYPE', 'STATE', 'TASKS', 'WORKER', 'CLASS'],
      rows: connectors.map(({ name, type, class: className, status }) => [
        name,
        type,
        paintState(paint, status.state),
        runningTasks(status),
        status.worker,
        className,
      ]),
    }),
  );
  return 0;
}
