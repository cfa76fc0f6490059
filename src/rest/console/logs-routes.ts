/**
 * Recent log lines of a connector: of this worker, which workers request from each other, and of the group. Secrets of
 * the connector's config are hidden from every caller.
 */
import { messageOf, settledWithin, timeoutSignal } from '@millrace/sdk';
import type { WorkerMember } from '../../cluster/entities';
import type { LogLevel } from '../../logging/format-line';
import type { RecentLine } from '../../logging/recent-lines';
import { encodeSegment } from '../requests/request-path';
import { ok, param, type ConsoleRoute } from '../requests/route';
import { ifKnown } from '../routes/entities';
import type { LogLine, LogLines } from '@millrace/console';
import type { ConsoleContext } from './console-context';

const PATH = '/ui/api/worker/logs/:name';
const ANSWER_MS = 2_000;
/** Of all workers. The newest are kept. */
const MAX_LINES = 500;
const LEVELS: Readonly<Record<LogLevel, LogLine['level']>> = {
  ...{ error: 'ERROR', warn: 'WARN', info: 'INFO', debug: 'DEBUG', trace: 'TRACE' },
};

export function logRoutes(context: ConsoleContext): readonly ConsoleRoute[] {
  async function own(connector: string): Promise<readonly LogLine[]> {
    const herder = context.herder();
    const config = ifKnown(() => herder.reads.connectorInfo(connector).config) ?? {};
    const hide = await context.secrets.inTextsFromAll(config);
    return context.recent.of(connector).map((line) => shown(line, herder.workerId, hide));
  }

  /** Null: it did not answer, or is a worker without such lines. */
  async function ofOther(
    { id, url }: WorkerMember,
    connector: string,
    authorization: string | null,
  ): Promise<readonly LogLine[] | null> {
    const path = PATH.replace(':name', () => encodeSegment(connector));
    const signal = timeoutSignal(ANSWER_MS);
    try {
      const { body } = await context.send({
        ...{ url, method: 'GET', path, body: null, authorization, forward: null, signal },
      });
      return linesIn(body);
    } catch (error) {
      context.logger.debug(`Worker ${id} did not return its log lines: ${messageOf(error)}`);
      return null;
    }
  }

  async function ofGroup(connector: string, authorization: string | null): Promise<LogLines> {
    const herder = context.herder();
    const members = await settledWithin(
      herder.members().catch(() => null),
      ANSWER_MS,
      null,
    );
    const others = (members ?? []).filter(({ id }) => id !== herder.workerId);
    const answers = await Promise.all(
      others.map(async (worker) => [worker.id, await ofOther(worker, connector, authorization)] as const),
    );
    const lines = [...(await own(connector)), ...answers.flatMap(([, found]) => found ?? [])];
    lines.sort((a, b) => a.at - b.at || a.sequence - b.sequence);
    const missing = answers.flatMap(([id, found]) => (found === null ? [id] : []));
    return { lines: lines.slice(-MAX_LINES), missing: missing.sort() };
  }

  return [
    {
      method: 'GET',
      path: PATH,
      role: 'reader',
      forWorkers: true,
      run: async (call) => ok({ lines: await own(param(call, 'name')), missing: [] } satisfies LogLines),
    },
    {
      method: 'GET',
      path: '/ui/api/connectors/:name/logs',
      role: 'reader',
      run: async (call) => ok(await ofGroup(param(call, 'name'), call.request.headers.authorization ?? null)),
    },
  ];
}

function linesIn(body: unknown): readonly LogLine[] | null {
  const { lines } = (body ?? {}) as { readonly lines?: unknown };
  return Array.isArray(lines) ? (lines as LogLine[]) : null;
}

function shown(
  { sequence, at, level, logger, task, text }: RecentLine,
  worker: string,
  hide: (text: string) => string,
): LogLine {
  return { sequence, at, worker, level: LEVELS[level], logger, task, text: hide(text) };
}
