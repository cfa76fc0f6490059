/**
 * Tasks of a connector, and the internal endpoints of workers: publishing task configs, and fencing old tasks of
 * exactly-once sources. Source: connect-rest §1.14 to §1.16, §1.22.
 */
import type { ConnectorConfig } from '@millrace/sdk';
import type { ReadTaskConfigs, SignedBody, TaskInfo } from '../../cluster/entities';
import { MARK_HEADER } from '../../cluster/forwarding/internal-marks';
import { isSignature } from '../../cluster/forwarding/session-key';
import { tooLarge } from '../http/body-budget';
import type { RestContext } from './context';
import { shownTaskState, taskInfo } from './entities';
import { passThrough } from './forward';
import { TASK_CONFIGS, toPlain } from '../json/shape';
import { MAX_VALUES } from '../json/tree';
import { parseTree } from '../requests/request-body';
import { encodeSegment, parseTaskNumber } from '../requests/request-path';
import { matchedError, RestError } from '../http/rest-error';
import { FORWARD, noContent, ok, param, type Call, type Route } from '../requests/route';

export function taskNumber(call: Call): number {
  const number = parseTaskNumber(param(call, 'task'));
  if (number === null) throw matchedError(404);
  return number;
}

/** Headers of internal requests: signature of the body, and its algorithm. */
const SIGNATURE = 'x-connect-authorization';
const ALGORITHM = 'x-connect-request-signature-algorithm';
const MARK = MARK_HEADER.toLowerCase();

const MAX_SIGNED_VALUES = 10 * MAX_VALUES;
const NO_CONTENT = 'No content to map due to end-of-input';

/** The header's first value. */
function header(call: Call, name: string): string | null {
  const value = call.request.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

/** Forwarded with the received bytes, so that the next worker can verify the signature. */
function signatureOf(call: Call): Record<string, string> {
  const headers = [SIGNATURE, ALGORITHM, MARK].map((name) => [name, header(call, name)] as const);
  return Object.fromEntries(headers.filter((entry): entry is [string, string] => entry[1] !== null));
}

function signedBody(call: Call, raw: Buffer): SignedBody {
  return { raw, signature: header(call, SIGNATURE), algorithm: header(call, ALGORITHM), mark: header(call, MARK) };
}

/** Before the body is read: whether the headers have the form of a signature. */
const isSigned = (call: Call): boolean => isSignature(header(call, SIGNATURE), header(call, ALGORITHM));

/** A request with a valid signature may be larger than a client's. */
function taskConfigs({ body }: Call, raw: Buffer, isVerified: boolean): readonly ConnectorConfig[] {
  if (!isVerified && raw.length > body.maxBytes) throw tooLarge(body.maxBytes);
  const root = parseTree(raw, TASK_CONFIGS, isVerified ? MAX_SIGNED_VALUES : MAX_VALUES);
  if (root === null) throw new RestError(500, NO_CONTENT);
  return (toPlain(root) ?? []) as unknown as readonly ConnectorConfig[];
}

export function taskRoutes(context: RestContext): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/connectors/:name/tasks',
      role: 'reader',
      doc: {
        id: 'listTasks',
        summary: 'Tasks of a connector and their configs',
        answers: { 200: ['The tasks', 'TaskInfos'] },
      },
      run: async (call) => {
        const name = param(call, 'name');
        const herder = context.herder();
        const tasks = herder.reads.taskInfos(name);
        const { 'connector.class': className, 'connector.plugin.version': version } =
          herder.reads.connectorInfo(name).config;
        const shown = async (task: TaskInfo): Promise<TaskInfo> =>
          taskInfo(task, await context.secrets.shown(call.caller, task.config, className, version));
        return ok(await Promise.all(tasks.map(shown)));
      },
    },
    {
      method: 'POST',
      path: '/connectors/:name/tasks',
      role: 'signature',
      anyType: true,
      doc: {
        id: 'putTaskConfigs',
        summary: 'Between workers: new task configs, signed with the session key',
        query: [FORWARD],
        body: 'TaskConfigs',
        answers: { 204: ['Stored', null] },
      },
      run: async (call) => {
        const name = param(call, 'name');
        const raw = await call.body.read(isSigned(call) ? call.body.maxSignedBytes : undefined);
        if (raw.length === 0) throw new RestError(500, NO_CONTENT);
        const body = signedBody(call, raw);
        // Parsed once, although it is read again when another worker becomes the leader.
        let configs: readonly ConnectorConfig[] | undefined;
        const read: ReadTaskConfigs = (isVerified) => (configs ??= taskConfigs(call, raw, isVerified));
        return context.forward(
          call,
          { path: `/connectors/${encodeSegment(name)}/tasks`, raw, headers: signatureOf(call) },
          async () => {
            await context.herder().writes.submitTaskConfigs(name, body, read);
            return noContent;
          },
          passThrough(noContent),
        );
      },
    },
    {
      method: 'PUT',
      path: '/connectors/:name/fence',
      role: 'signature',
      anyType: true,
      doc: {
        id: 'fenceTasks',
        summary: 'Between workers: fence earlier tasks of an exactly-once source, signed with the session key',
        query: [FORWARD],
        answers: { 204: ['Fenced', null] },
      },
      run: async (call) => {
        const name = param(call, 'name');
        const raw = await call.body.read();
        const body = signedBody(call, raw);
        return context.forward(
          call,
          { path: `/connectors/${encodeSegment(name)}/fence`, raw, headers: signatureOf(call) },
          async () => {
            await context.herder().writes.fenceTasks(name, body);
            return noContent;
          },
          passThrough(noContent),
        );
      },
    },
    {
      method: 'GET',
      path: '/connectors/:name/tasks/:task/status',
      role: 'reader',
      doc: { id: 'getTaskStatus', summary: 'Status of a task', answers: { 200: ['The status', 'TaskState'] } },
      run: async (call) => {
        const name = param(call, 'name');
        const state = context.herder().reads.taskStatus(name, taskNumber(call));
        return ok(await shownTaskState(context, call, name, state));
      },
    },
    {
      method: 'POST',
      path: '/connectors/:name/tasks/:task/restart',
      role: 'operator',
      doc: {
        id: 'restartTask',
        summary: 'Restart a task',
        query: [FORWARD],
        answers: { 204: ['Restarted', null] },
      },
      run: async (call) => {
        const name = param(call, 'name');
        const task = taskNumber(call);
        return context.forward(
          call,
          { path: `/connectors/${encodeSegment(name)}/tasks/${task}/restart` },
          async () => {
            await context.herder().restarts.restartTask(name, task, call.caller.user);
            return noContent;
          },
          passThrough(noContent),
        );
      },
    },
  ];
}
