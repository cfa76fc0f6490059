/**
 * Signals for the tasks of a connector, an endpoint that Java does not have. A signal for a connector is sent to each
 * of its tasks, on whichever workers they run.
 */
import { randomUUID } from 'node:crypto';
import type { JsonObject, TaskSignal } from '@millrace/sdk';
import { RestError } from '../http/rest-error';
import { isDeeperThan, plainValue } from '../json/plain-value';
import { SIGNAL } from '../json/shape';
import type { JsonNode } from '../json/tree';
import { readTree } from '../requests/request-body';
import { encodeSegment } from '../requests/request-path';
import { FORWARD, param, type Call, type Reply, type Route } from '../requests/route';
import type { RestContext } from './context';
import { passThrough } from './forward';
import { taskNumber } from './tasks';

/** Containers within containers, the data itself included. */
const MAX_DATA_DEPTH = 32;
/** Characters. */
const MAX_NAME_LENGTH = 256;

export function signalRoutes(context: RestContext): readonly Route[] {
  async function send(call: Call, name: string, task: number, signal: TaskSignal): Promise<Reply> {
    const accepted: Reply = { status: 202, body: { id: signal.id } };
    return await context.forward(
      call,
      { path: `/connectors/${encodeSegment(name)}/tasks/${task}/signals`, body: signal },
      async () => {
        await context.herder().restarts.signalTask(name, task, signal);
        return accepted;
      },
      passThrough(accepted),
    );
  }

  return [
    {
      method: 'POST',
      path: '/connectors/:name/signals',
      role: 'operator',
      doc: {
        id: 'signalConnector',
        summary: 'Send a signal to the tasks of a connector, for example to read a table again',
        query: [FORWARD],
        body: 'Signal',
        answers: { 202: ['All tasks have accepted the signal', 'SignalId'] },
      },
      run: async (call) => {
        const name = param(call, 'name');
        const signal = signalRequest(await readTree(call, SIGNAL));
        const tasks = context.herder().reads.taskInfos(name);
        if (tasks.length === 0)
          throw new RestError(409, `Connector ${name} has no tasks, so it accepts no signals: resume it first`);
        // In sequence: after a failure, the client sends the signal again.
        for (const { id } of tasks) await send(call, name, id.task, signal);
        return { status: 202, body: { id: signal.id } };
      },
    },
    {
      method: 'POST',
      path: '/connectors/:name/tasks/:task/signals',
      role: 'operator',
      doc: {
        id: 'signalTask',
        summary: 'Send a signal to one task',
        query: [FORWARD],
        body: 'Signal',
        answers: { 202: ['The task has accepted the signal', 'SignalId'] },
      },
      run: async (call) =>
        await send(call, param(call, 'name'), taskNumber(call), signalRequest(await readTree(call, SIGNAL))),
    },
  ];
}

/** The signal of a document that has passed `SIGNAL`. A missing id is generated. Throws RestError 400. */
function signalRequest(document: JsonNode | null): TaskSignal {
  const members = document?.kind === 'object' ? document.members : null;
  if (members === null)
    throw new RestError(400, 'A signal needs a JSON object with "type", and optionally "id" and "data"');
  const type = text(members.get('type'), 'type');
  if (type === null) throw new RestError(400, 'A signal needs a "type", for example execute-snapshot');
  const data = members.get('data');
  if (data !== undefined && isDeeperThan(data, MAX_DATA_DEPTH))
    throw new RestError(400, `The "data" of a signal may be nested at most ${MAX_DATA_DEPTH} levels deep`);
  return {
    id: text(members.get('id'), 'id') ?? randomUUID(),
    type,
    data: data === undefined || data.kind === 'null' ? {} : (plainValue(data, Number) as JsonObject),
  };
}

function text(node: JsonNode | undefined, name: string): string | null {
  if (node === undefined || !('text' in node) || node.kind === 'null' || node.text === '') return null;
  if (node.text.length <= MAX_NAME_LENGTH) return node.text;
  throw new RestError(400, `The "${name}" of a signal may have at most ${MAX_NAME_LENGTH} characters`);
}
