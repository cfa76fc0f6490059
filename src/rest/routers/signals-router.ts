/**
 * Signals for the tasks of a connector, an endpoint that Java does not have. A signal for a connector is sent to each
 * of its tasks, on whichever workers they run.
 */
import { SIGNAL } from '../json/shape';
import { signalRequest } from '../requests/signal-request';
import { readTree } from '../requests/request-body';
import { encodeSegment } from '../requests/request-path';
import { param, type Call, type Reply, type Resource } from '../requests/route';
import { RestError } from '../http/rest-error';
import type { TaskSignal } from '@millrace/sdk';
import type { RestContext } from './context';
import { passThrough } from './forward';
import { taskNumber } from './tasks-router';

export function signalsResources(context: RestContext): readonly Resource[] {
  async function send(call: Call, name: string, task: number, signal: TaskSignal): Promise<Reply> {
    const accepted: Reply = { status: 202, body: { id: signal.id } };
    return await context.forward(
      call,
      { path: `/connectors/${encodeSegment(name)}/tasks/${task}/signals`, body: signal },
      async () => {
        await context.herder().signalTask(name, task, signal);
        return accepted;
      },
      passThrough(accepted),
    );
  }

  return [
    {
      path: '/connectors/:name/signals',
      methods: {
        POST: async (call) => {
          const name = param(call, 'name');
          const signal = signalRequest(await readTree(call, SIGNAL));
          const tasks = context.herder().taskInfos(name);
          if (tasks.length === 0)
            throw new RestError(409, `Connector ${name} has no tasks, so it accepts no signals: resume it first`);
          // In sequence: after a failure, the client sends the signal again.
          for (const { id } of tasks) await send(call, name, id.task, signal);
          return { status: 202, body: { id: signal.id } };
        },
      },
    },
    {
      path: '/connectors/:name/tasks/:task/signals',
      methods: {
        POST: async (call) =>
          await send(call, param(call, 'name'), taskNumber(call), signalRequest(await readTree(call, SIGNAL))),
      },
    },
  ];
}
