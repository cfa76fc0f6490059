/** The reports of all workers of the group, requested in parallel: a slow one delays the others by 2 s at most. */
import { messageOf, settledWithin, startTimer, timeoutSignal } from '@millrace/sdk';
import { cpuOf, taskRates, type TimedReading } from '@millrace/texts/worker-rates';
import type { WorkerMember } from '../../cluster/entities';
import { HerderError } from '../../cluster/errors';
import type { ForwardRequest } from '../../cluster/forwarding/forwarding';
import type { Herder } from '../../cluster/herder';
import { readReport, type ReadReport, type TaskReport, type WorkerReport } from './worker-report';

export const REPORT_PATH = '/ui/api/worker';
const ANSWER_MS = 2_000;
/** For one that did not answer the last time. */
const SILENT_MS = 500;
/** Consoles that ask at the same time get the same reports. */
const KEPT_MS = 1_000;
/** How often Kafka is asked who is a member. */
const MEMBERS_MS = 2_000;
/** A rate since an older report would be that of another time. */
const OLDEST_BEFORE_MS = 15_000;
/** Of a worker without a console. */
const NO_ROUTE = new Set(['HTTP 404 Not Found', 'HTTP 405 Method Not Allowed']);
const FORWARDING = /^IO Error trying to forward REST request: /;

/** One member, and what it answered. */
export interface WorkerView extends WorkerMember {
  readonly isThis: boolean;
  readonly state: 'answering' | 'silent' | 'other';
  readonly problem: string | null;
  readonly report: ReadReport | null;
  /** Of its tasks, by `taskKey`. */
  readonly tasks: ReadonlyMap<string, TaskReport>;
  readonly cpu: number | null;
}

export interface GroupReport {
  readonly workers: readonly WorkerView[];
  /** False: Kafka has not returned the members, so another worker may be one. */
  readonly isWhole: boolean;
}

export interface GroupReportsOptions {
  readonly herder: () => Herder;
  readonly own: () => Promise<WorkerReport>;
  readonly send: ForwardRequest;
  /** Monotonic, milliseconds. (Default: the process's) */
  readonly now?: () => number;
}

type Answer = Pick<WorkerView, 'state' | 'problem' | 'report'>;
interface Reading extends TimedReading<TaskReport> {
  readonly figures: ReadReport;
}

export class GroupReports {
  private current: Promise<GroupReport> | null = null;
  private members: readonly WorkerMember[] | null = null;
  private membersAt = -Infinity;
  /** By URL: the newest report of each worker. */
  private readings = new Map<string, Reading>();
  /** URLs of members that did not answer. */
  private readonly silent = new Set<string>();
  private forgetting: NodeJS.Timeout | null = null;
  private readonly now: () => number;

  constructor(private readonly options: GroupReportsOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /** @param authorization the caller's header, which the members' URLs get, and no others */
  async read(authorization: string | null): Promise<GroupReport> {
    return await (this.current ??= this.request(authorization));
  }

  /** What a member answers to GET; null: it does not, or it is not a member. */
  async ask(worker: string, path: string, authorization: string | null): Promise<unknown> {
    const member = this.members?.find(({ id }) => id === worker);
    if (!member || this.silent.has(member.url)) return null;
    try {
      return await this.send(member.url, path, authorization, ANSWER_MS);
    } catch {
      return null;
    }
  }

  private async send(url: string, path: string, authorization: string | null, limitMs: number): Promise<unknown> {
    const signal = timeoutSignal(limitMs);
    return (await this.options.send({ url, method: 'GET', path, body: null, authorization, forward: null, signal }))
      .body;
  }

  private async request(authorization: string | null): Promise<GroupReport> {
    try {
      return await this.requestAll(authorization);
    } finally {
      startTimer(() => (this.current = null), KEPT_MS).unref();
    }
  }

  private async requestAll(authorization: string | null): Promise<GroupReport> {
    const herder = this.options.herder();
    const { workerId } = herder;
    await this.readMembers(herder);
    const others = (this.members ?? []).filter(({ id }) => id !== workerId);
    for (const url of this.silent) if (!others.some((member) => member.url === url)) this.silent.delete(url);
    const own = this.members?.find(({ id }) => id === workerId) ?? { id: workerId, url: '' };
    const before = this.readings;
    this.readings = new Map();
    this.forgetLater();
    const workers = await Promise.all([
      this.view(own, true, this.answerOf(this.options.own()), before),
      ...others.map((member) => this.view(member, false, this.askForReport(member, authorization), before)),
    ]);
    return { workers, isWhole: this.members !== null };
  }

  private async view(
    member: WorkerMember,
    isThis: boolean,
    asked: Promise<Answer>,
    previous: ReadonlyMap<string, Reading>,
  ): Promise<WorkerView> {
    const { state, problem, report } = await asked;
    const at = this.now();
    const before = previous.get(member.url);
    const recent = before && at - before.at <= OLDEST_BEFORE_MS ? before : undefined;
    const reading = report && { at, figures: report };
    const kept = reading ?? recent;
    if (kept) this.readings.set(member.url, kept);
    return {
      ...member,
      ...{ isThis, state, problem, report },
      tasks: reading ? taskRates(reading, recent) : new Map(),
      cpu: reading && cpuOf(reading, recent, Date.now()),
    };
  }

  private async askForReport({ url }: WorkerMember, authorization: string | null): Promise<Answer> {
    const limitMs = this.silent.has(url) ? SILENT_MS : ANSWER_MS;
    const answer = await this.answerOf(this.send(url, REPORT_PATH, authorization, limitMs));
    if (answer.state === 'silent') this.silent.add(url);
    else this.silent.delete(url);
    return answer;
  }

  private async answerOf(asked: Promise<unknown>): Promise<Answer> {
    try {
      const report = readReport(await asked);
      return report ? { state: 'answering', problem: null, report } : { state: 'other', problem: null, report: null };
    } catch (error) {
      const message = messageOf(error);
      if (error instanceof HerderError && NO_ROUTE.has(message)) return { state: 'other', problem: null, report: null };
      const problem = /abort|timeout/i.test(message)
        ? 'It does not answer.'
        : message.replace(FORWARDING, 'It cannot be reached: ');
      return { state: 'silent', problem, report: null };
    }
  }

  /** Readings that are too old for a rate: while no console asks, nothing is kept. */
  private forgetLater(): void {
    if (this.forgetting) this.forgetting.refresh();
    else
      this.forgetting = startTimer(() => {
        this.readings.clear();
        this.forgetting = null;
      }, OLDEST_BEFORE_MS).unref();
  }

  /** Keeps the known members while Kafka does not answer. */
  private async readMembers(herder: Herder): Promise<void> {
    if (this.now() - this.membersAt < MEMBERS_MS) return;
    this.membersAt = this.now();
    const found = herder.members().catch(() => null);
    this.members = (await settledWithin(found, ANSWER_MS, null)) ?? this.members;
  }
}
