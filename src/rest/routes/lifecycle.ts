/** Pause, resume, stop, restart. Request bodies are ignored. Source: connect-rest §1.11 to §1.13. */
import { encodeSegment } from '../requests/request-path';
import { accepted, flag, FORWARD, noContent, param, type Handler, type Route } from '../requests/route';
import type { RestContext } from './context';
import { shownConnectorState } from './entities';
import { passThrough } from './forward';

export function lifecycleRoutes(context: RestContext): readonly Route[] {
  const target =
    (state: 'STARTED' | 'PAUSED'): Handler =>
    async (call) => {
      await context.herder().writes.setTargetState(param(call, 'name'), state, call.caller.user);
      return accepted;
    };
  return [
    {
      method: 'PUT',
      path: '/connectors/:name/pause',
      role: 'operator',
      doc: {
        id: 'pauseConnector',
        summary: 'Pause a connector and its tasks',
        answers: { 202: ['Accepted: the connector will pause', null] },
      },
      run: target('PAUSED'),
    },
    {
      method: 'PUT',
      path: '/connectors/:name/resume',
      role: 'operator',
      doc: {
        id: 'resumeConnector',
        summary: 'Resume a paused or stopped connector',
        answers: { 202: ['Accepted: the connector will resume', null] },
      },
      run: target('STARTED'),
    },
    {
      method: 'PUT',
      path: '/connectors/:name/stop',
      role: 'operator',
      doc: {
        id: 'stopConnector',
        summary: 'Stop a connector: it has no tasks until it is resumed',
        query: [FORWARD],
        answers: { 204: ['The connector will stop', null] },
      },
      run: (call) => {
        const name = param(call, 'name');
        return context.forward(
          call,
          { path: `/connectors/${encodeSegment(name)}/stop` },
          async () => {
            await context.herder().writes.stopConnector(name, call.caller.user);
            return noContent;
          },
          passThrough(noContent),
        );
      },
    },
    {
      method: 'POST',
      path: '/connectors/:name/restart',
      role: 'operator',
      doc: {
        id: 'restartConnector',
        summary: 'Restart a connector, and optionally its tasks',
        query: [
          { name: 'includeTasks', description: 'true: also restart its tasks. (Default: false)' },
          { name: 'onlyFailed', description: 'true: restart only failed instances. (Default: false)' },
          FORWARD,
        ],
        answers: { 202: ['What will be restarted', 'ConnectorState'], 204: ['Only the connector was restarted', null] },
      },
      run: (call) => {
        const name = param(call, 'name');
        const includeTasks = flag(call, 'includeTasks') ?? false;
        const onlyFailed = flag(call, 'onlyFailed') ?? false;
        const planned = includeTasks || onlyFailed;
        return context.forward(
          call,
          {
            path: `/connectors/${encodeSegment(name)}/restart`,
            query: { includeTasks: String(includeTasks), onlyFailed: String(onlyFailed) },
          },
          async () => {
            if (planned) {
              const plan = await context
                .herder()
                .restarts.requestRestart(name, { includeTasks, onlyFailed }, call.caller.user);
              return { status: 202, body: await shownConnectorState(context, call, plan) };
            }
            await context.herder().restarts.restartConnector(name, call.caller.user);
            return noContent;
          },
          passThrough(planned ? accepted : noContent),
        );
      },
    },
  ];
}
