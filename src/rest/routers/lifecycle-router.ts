/** Pause, resume, stop, restart. Request bodies are ignored. Source: connect-rest §1.11 to §1.13. */
import type { RestContext } from './context';
import { shownConnectorState } from './entities';
import { passThrough } from './forward';
import { encodeSegment } from '../requests/request-path';
import { accepted, flag, noContent, param, type Handler, type Resource } from '../requests/route';

export function lifecycleResources(context: RestContext): readonly Resource[] {
  const target =
    (state: 'STARTED' | 'PAUSED'): Handler =>
    async (call) => {
      await context.herder().setTargetState(param(call, 'name'), state, call.caller.user);
      return accepted;
    };
  return [
    { path: '/connectors/:name/pause', methods: { PUT: target('PAUSED') } },
    { path: '/connectors/:name/resume', methods: { PUT: target('STARTED') } },
    {
      path: '/connectors/:name/stop',
      methods: {
        PUT: (call) => {
          const name = param(call, 'name');
          return context.forward(
            call,
            { path: `/connectors/${encodeSegment(name)}/stop` },
            async () => {
              await context.herder().stopConnector(name, call.caller.user);
              return noContent;
            },
            passThrough(noContent),
          );
        },
      },
    },
    {
      path: '/connectors/:name/restart',
      methods: {
        POST: (call) => {
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
                  .requestRestart(name, { includeTasks, onlyFailed }, call.caller.user);
                return { status: 202, body: await shownConnectorState(context, call, plan) };
              }
              await context.herder().restartConnector(name, call.caller.user);
              return noContent;
            },
            passThrough(planned ? accepted : noContent),
          );
        },
      },
    },
  ];
}
