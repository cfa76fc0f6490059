/** Tasks of a connector, and the internal endpoint their owner hands new ones in by. Source: connect-rest §1.14 to §1.16, §1.22. */
import type { ConnectorConfig } from '@millrace/sdk';
import type { RestContext } from './context';
import { taskInfo, taskState } from './entities';
import { passThrough } from './forward';
import { TASK_CONFIGS } from './json-shape';
import { parseDocument, readBody } from './request-body';
import { encodeSegment, parseTaskNumber } from './request-path';
import { matchedError, RestError } from './rest-error';
import { noContent, ok, param, type Call, type Resource } from './route';

function taskNumber(call: Call): number {
  const number = parseTaskNumber(param(call, 'task'));
  if (number === null) throw matchedError(404);
  return number;
}

/** The first of a header's values. */
function header(call: Call, name: string): string | null {
  const value = call.request.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

export function tasksResources(context: RestContext): readonly Resource[] {
  return [
    {
      path: '/connectors/:name/tasks',
      anyType: ['POST'],
      methods: {
        GET: (call) => ok(context.herder().taskInfos(param(call, 'name')).map(taskInfo)),
        POST: async (call) => {
          const name = param(call, 'name');
          const raw = await readBody(call.request);
          const document = await parseDocument(raw, TASK_CONFIGS);
          if (document === undefined) throw new RestError(500, 'No content to map due to end-of-input');
          const configs = (document ?? []) as unknown as readonly ConnectorConfig[];
          return context.forward(
            call,
            { path: `/connectors/${encodeSegment(name)}/tasks`, body: configs },
            async () => {
              await context.herder().submitTaskConfigs(name, configs, {
                raw,
                signature: header(call, 'x-connect-authorization'),
                algorithm: header(call, 'x-connect-request-signature-algorithm'),
              });
              return noContent;
            },
            passThrough(noContent),
          );
        },
      },
    },
    {
      path: '/connectors/:name/tasks/:task/status',
      methods: { GET: (call) => ok(taskState(context.herder().taskStatus(param(call, 'name'), taskNumber(call)))) },
    },
    {
      path: '/connectors/:name/tasks/:task/restart',
      methods: {
        POST: async (call) => {
          const name = param(call, 'name');
          const task = taskNumber(call);
          return context.forward(
            call,
            { path: `/connectors/${encodeSegment(name)}/tasks/${task}/restart` },
            async () => {
              await context.herder().restartTask(name, task);
              return noContent;
            },
            passThrough(noContent),
          );
        },
      },
    },
  ];
}
