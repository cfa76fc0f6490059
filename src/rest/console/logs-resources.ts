/**
 * Recent log lines of a connector on this worker, which workers request from each other. Secrets of the connector's
 * config are hidden from every caller.
 */
import type { LogLevel } from '../../logging/format-line';
import type { RecentLine } from '../../logging/recent-lines';
import { HiddenSecrets } from '../auth/hidden-secrets';
import { ok, param, type Resource } from '../requests/route';
import { ifKnown } from '../routers/entities';
import { ANYONE } from './anyone';
import type { LogLine, LogLines } from './api';
import type { ConsoleContext } from './console-context';

const LEVELS: Readonly<Record<LogLevel, LogLine['level']>> = {
  ...{ error: 'ERROR', warn: 'WARN', info: 'INFO', debug: 'DEBUG', trace: 'TRACE' },
};

export function logsResources(context: ConsoleContext): readonly Resource[] {
  const secrets = new HiddenSecrets(true, context.validator);

  async function own(connector: string): Promise<LogLines> {
    const herder = context.herder();
    const config = ifKnown(() => herder.connectorInfo(connector).config) ?? {};
    const hide = await secrets.inTexts(ANYONE, config);
    const lines = context.recent.of(connector).map((line) => shown(line, herder.workerId, hide));
    return { lines, missing: [] };
  }

  return [
    {
      path: '/ui/api/worker/logs/:name',
      methods: { GET: async (call) => ok(await own(param(call, 'name'))) },
    },
  ];
}

function shown(
  { sequence, at, level, logger, task, text }: RecentLine,
  worker: string,
  hide: (text: string) => string,
): LogLine {
  return { sequence, at, worker, level: LEVELS[level], logger, task, text: hide(text) };
}
