/**
 * Recent log lines of a connector: of this worker, and of all workers of the group. Secrets of the connector's config
 * are hidden from every caller.
 */
import { messageOf, settledWithin, timeoutSignal } from '@millrace/sdk';
import type { WorkerMember } from '../../cluster/entities';
import type { ForwardRequest } from '../../cluster/forwarding/forwarding';
import type { Herder } from '../../cluster/herder';
import type { LogLevel } from '../../logging/format-line';
import type { Logger } from '../../logging/logger';
import type { RecentLine, RecentLines } from '../../logging/recent-lines';
import type { HiddenSecrets } from '../auth/hidden-secrets';
import { encodeSegment } from '../requests/request-path';

export interface GroupLogLine {
  /** Increases within one worker's process. */
  readonly sequence: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly worker_id: string;
  readonly level: 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE';
  readonly logger: string;
  /** Null: of the connector. */
  readonly task: number | null;
  /** Message, and the error's text. */
  readonly text: string;
}

export interface GroupLogLines {
  /** The oldest first. */
  readonly lines: readonly GroupLogLine[];
  /** Workers that did not answer, or have no such lines. */
  readonly missing: readonly string[];
}

export interface GroupLogsOptions {
  readonly herder: () => Herder;
  readonly secrets: HiddenSecrets;
  readonly logger: Logger;
  /** Log lines of this worker's connectors. */
  readonly recent: RecentLines;
  /** Sends a request to another worker. */
  readonly send: ForwardRequest;
}

/** Of all workers. The newest are kept. */
export const MAX_LINES = 500;
const ANSWER_MS = 2_000;
const LEVELS: Readonly<Record<LogLevel, GroupLogLine['level']>> = {
  ...{ error: 'ERROR', warn: 'WARN', info: 'INFO', debug: 'DEBUG', trace: 'TRACE' },
};

export class GroupLogs {
  constructor(private readonly options: GroupLogsOptions) {}

  /** Of this worker. */
  async own(connector: string): Promise<GroupLogLines> {
    const { herder, secrets, recent } = this.options;
    const { reads, workerId } = herder();
    // A deleted connector may still have lines.
    const config = reads.connectors().includes(connector) ? reads.connectorInfo(connector).config : {};
    const hide = await secrets.inTextsFromAll(config);
    return { lines: recent.of(connector).map((line) => shown(line, workerId, hide)), missing: [] };
  }

  async ofGroup(connector: string, authorization: string | null): Promise<GroupLogLines> {
    const herder = this.options.herder();
    const members = await settledWithin(
      herder.members().catch(() => null),
      ANSWER_MS,
      null,
    );
    const others = (members ?? []).filter(({ id }) => id !== herder.workerId);
    const answers = await Promise.all(
      others.map(async (worker) => [worker.id, await this.ofOther(worker, connector, authorization)] as const),
    );
    const { lines: own } = await this.own(connector);
    const lines = [...own, ...answers.flatMap(([, found]) => found ?? [])];
    lines.sort((a, b) => a.at - b.at || a.sequence - b.sequence);
    const missing = answers.flatMap(([id, found]) => (found === null ? [id] : []));
    return { lines: lines.slice(-MAX_LINES), missing: missing.sort() };
  }

  /** Null: it did not answer, or is a worker without such lines. */
  private async ofOther(
    { id, url }: WorkerMember,
    connector: string,
    authorization: string | null,
  ): Promise<readonly GroupLogLine[] | null> {
    const path = `/connectors/${encodeSegment(connector)}/logs`;
    const signal = timeoutSignal(ANSWER_MS);
    try {
      const { body } = await this.options.send({
        ...{ url, method: 'GET', path, body: null, authorization, forward: false, signal },
      });
      return linesIn(body);
    } catch (error) {
      this.options.logger.debug(`Worker ${id} did not return its log lines: ${messageOf(error)}`);
      return null;
    }
  }
}

function linesIn(body: unknown): readonly GroupLogLine[] | null {
  const { lines } = (body ?? {}) as { readonly lines?: unknown };
  return Array.isArray(lines) ? (lines as GroupLogLine[]) : null;
}

function shown(
  { sequence, at, level, logger, task, text }: RecentLine,
  worker: string,
  hide: (text: string) => string,
): GroupLogLine {
  return { sequence, at, worker_id: worker, level: LEVELS[level], logger, task, text: hide(text) };
}
