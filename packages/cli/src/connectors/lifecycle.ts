/** What `pause`, `resume`, `stop`, `restart` and `delete` share: they change the connectors that are named. */
import { ConnectError } from '@millrace/sdk';
import { EXIT } from '../exit-codes';
import { writeAnswer } from '../output/answer';
import { confirm } from '../output/confirm';
import { exitCodeOf, fail } from '../output/fail';
import { printable } from '../output/printable';
import { type ShowProgress, waitingText, withProgress } from '../output/progress-line';
import type { ArgumentSpec, Invocation, OptionSpec } from '../program/command-spec';
import { wholeNumber } from '../program/shared-options';
import { sideBySide, withClient } from '../rest/clients';
import type { ConnectClient } from '../rest/connect-client';
import { path } from '../rest/reply';
import { readRemainders } from './actions';
import { awaitStates, type Goal } from './await-state';
import { type Connector, failuresOf, isFailed, readConnectors, readStatus, type Status } from './connectors';
import { isPattern, selectNamed } from './name-pattern';

export const CONNECTORS: ArgumentSpec = {
  name: '[names...]',
  description: 'connectors, or patterns with * and ?',
  completes: 'connectors',
};

export const SELECTION = `Quote patterns, so that the shell does not expand them. If a connector fails, the others are still changed; the exit code is 1, and stderr names what failed.`;

export const WAIT_OPTIONS: readonly OptionSpec[] = [
  { flags: '--no-wait', description: 'do not wait until the state is reached' },
  { flags: '--wait-timeout <seconds>', description: 'time to wait', default: 60, parse: wholeNumber(1, 86_400) },
];

export function lifecycleOptions(verb: string): readonly OptionSpec[] {
  return [
    { flags: '--all', description: 'all connectors' },
    {
      flags: '--failed',
      description:
        verb === 'restart'
          ? 'of these connectors, or of all, restart only what is FAILED'
          : 'of these connectors, or of all, those with something FAILED',
    },
    ...WAIT_OPTIONS,
  ];
}

export interface RestartOptions {
  readonly includeTasks?: boolean;
  readonly failed?: boolean;
  /** Only this task. */
  readonly task?: number;
}

export interface Action extends Goal {
  readonly verb: string;
  /** For questions: `delete`. For results: `deleted`. */
  readonly done: string;
  readonly method: 'PUT' | 'POST' | 'DELETE';
  readonly path: (name: string, options: RestartOptions) => string;
}

/** FAILED tasks remain FAILED. */
export const isPaused = (status: Status | undefined): boolean =>
  status?.state === 'PAUSED' && status.tasks.every(({ state }) => state === 'PAUSED' || state === 'FAILED');
export const isRunning = (status: Status | undefined): boolean =>
  status?.state === 'RUNNING' && status.tasks.length > 0 && status.tasks.every(({ state }) => state === 'RUNNING');

/** Of `WAIT_OPTIONS`. */
export interface WaitOptions {
  readonly wait?: boolean;
  /** Seconds. */
  readonly waitTimeout?: number;
}

interface Options extends RestartOptions, WaitOptions {
  readonly all?: boolean;
  readonly output?: string;
}

export const RESUME: Action = {
  verb: 'resume',
  done: 'running',
  method: 'PUT',
  path: (name) => path`/connectors/${name}/resume`,
  isReached: isRunning,
  mustRun: true,
};

const LISTED = 10;

/** @returns the exit code: that of the failures if all connectors failed in the same way, otherwise 1 */
export async function changeConnectors(invocation: Invocation, action: Action): Promise<number> {
  return await withProgress(invocation, (shown, show) => changeAll(shown, action, show));
}

async function changeAll(invocation: Invocation, action: Action, show: ShowProgress): Promise<number> {
  const { args, io } = invocation;
  const options = invocation.options as Options;
  const { all = false, failed = false } = options;
  if (args.length === 0 && !all && !failed)
    throw new ConnectError(`Name the connectors to ${action.verb}, or pass --all or --failed.`, { code: 'CLI_USAGE' });
  if (
    options.task !== undefined &&
    (args.length !== 1 || isPattern(args[0] as string) || failed || options.includeTasks)
  )
    throw new ConnectError('--task restarts a task of one connector: name it, without a pattern or other options.', {
      code: 'CLI_USAGE',
    });
  if (args.length > 0 && all) throw new ConnectError('Specify names or --all, not both.', { code: 'CLI_USAGE' });
  return await withClient(invocation, async (client) => {
    const named = selectNamed(await readConnectors(client), args, 'connector', ({ name }) => name);
    const chosen = failed ? named.filter(({ status }) => isFailed(status)) : named;
    if (chosen.length === 0) {
      io.stderr.write(failed ? 'Nothing is FAILED.\n' : 'There are no connectors.\n');
      if (options.output !== 'table') writeAnswer(invocation, [], () => '');
      return EXIT.success;
    }
    const deleted = action.verb === 'delete' ? chosen.map(({ name }) => name) : [];
    const remainders = await readRemainders(client, deleted);
    for (const line of [...remainders.values()].flat()) io.stderr.write(`${line}\n`);
    if (mustAsk(args, options, action, chosen.length) && !(await confirm(invocation, question(action, chosen)))) {
      io.stderr.write('Nothing was done.\n');
      return EXIT.failed;
    }
    const errors = new Map<string, unknown>();
    const waiting = new Set(chosen.map(({ name }) => name));
    const onPoll = (): void => show(() => waitingText(waiting, chosen.length));
    await sideBySide(chosen, async (connector) => {
      try {
        onPoll();
        const verdict = await changeConnector(client, connector, action, options, onPoll);
        waiting.delete(connector.name);
        if (options.output === 'table')
          writeAnswer(invocation, null, () => `${printable(partName(connector, options))} ${verdict}\n`);
        const statement = remainders.get(connector.name)?.at(-1);
        if (statement !== undefined) io.stderr.write(`${statement}\n`);
      } catch (error) {
        waiting.delete(connector.name);
        errors.set(connector.name, error);
        fail(io, withName(connector.name, error));
      }
    });
    if (options.output !== 'table')
      writeAnswer(
        invocation,
        chosen.map((one) => result(one, errors)),
        () => '',
      );
    if (errors.size === 0) return EXIT.success;
    if (chosen.length > 1) io.stderr.write(`${errors.size} of ${chosen.length} connectors failed.\n`);
    const codes = new Set([...errors.values()].map(exitCodeOf));
    return errors.size === chosen.length && codes.size === 1 ? ([...codes][0] as number) : EXIT.failed;
  });
}

/** @returns what was done, e.g. `restarted` @throws ConnectError `CLI_STATE_NOT_REACHED`; the errors of requests */
export async function changeConnector(
  client: ConnectClient,
  { name, status }: Pick<Connector, 'name' | 'status'>,
  action: Action,
  { wait = true, waitTimeout = 60, ...options }: RestartOptions & WaitOptions,
  onPoll: () => void,
): Promise<string> {
  await client.request(action.path(name, options), { method: action.method });
  if (!wait) return `${action.verb} requested`;
  const { task } = options;
  return await awaitState(client, name, action, { before: status, timeoutMs: waitTimeout * 1000, task, onPoll });
}

interface StateWait {
  /** The state before the request. */
  readonly before: Status;
  readonly timeoutMs: number;
  /** Only this task counts. (Default: all) */
  readonly task: number | undefined;
  /** Called before each pause. */
  readonly onPoll: () => void;
}

async function awaitState(
  client: ConnectClient,
  name: string,
  action: Action,
  { before, timeoutMs, task, onPoll }: StateWait,
): Promise<string> {
  const read = async (): Promise<ReadonlyMap<string, Status>> => {
    const status = await readStatus(client, name);
    if (status) return new Map([[name, partOf(status, task)]]);
    if (!action.isReached(undefined)) throw notReached(`${name} was deleted meanwhile.`);
    return new Map();
  };
  const wait = { read, before: new Map([[name, partOf(before, task)]]), timeoutMs, onPoll };
  let verdict = action.done;
  await awaitStates(client, [name], action, wait, (_, { end, status }) => {
    if (end === 'without tasks') verdict += ', without tasks';
    if (end === 'reached' || end === 'without tasks') return;
    const found = status as Status;
    const [first] = failuresOf(found);
    if (end === 'failed' && first) throw notReached(`${name}: ${first.part} is FAILED: ${first.reason}`);
    throw notReached(`${name} is not ${action.done} after ${timeoutMs / 1000} s: ${stateText(found)}.`);
  });
  return verdict;
}

/** What one task's restart can change. */
function partOf(status: Status, task: number | undefined): Status {
  return task === undefined ? status : { ...status, tasks: status.tasks.filter(({ id }) => id === task) };
}

function stateText({ state, tasks }: Status): string {
  const texts = tasks.slice(0, 5).map((task) => `task ${task.id} ${task.state}`);
  return [
    `connector ${state}`,
    ...(tasks.length === 0 && state === 'RUNNING' ? ['no tasks'] : texts),
    ...(tasks.length > 5 ? ['…'] : []),
  ].join(', ');
}

function notReached(message: string): ConnectError {
  return new ConnectError(message, { code: 'CLI_STATE_NOT_REACHED' });
}

/** More than one connector was chosen without naming each, or something is lost. */
function mustAsk(names: readonly string[], { failed = false }: Options, action: Action, count: number): boolean {
  if (action.verb === 'delete') return true;
  if (action.verb === 'restart' && failed) return false;
  return count > 1 && (names.length === 0 || names.some(isPattern));
}

function question({ verb }: Action, chosen: readonly Connector[]): string {
  const names = chosen.slice(0, LISTED).map(({ name }) => printable(name));
  const list = chosen.length > LISTED ? [...names, `${chosen.length - LISTED} more`] : names;
  const what = chosen.length === 1 ? 'connector' : `${chosen.length} connectors`;
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${what} ${list.join(', ')}?`;
}

function partName({ name }: Connector, { task }: Options): string {
  return task === undefined ? name : `${name} task ${task}`;
}

/** The worker's messages do not always name the connector. */
function withName(name: string, error: unknown): unknown {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes(name) || !(error instanceof ConnectError)) return error;
  return new ConnectError(`${printable(name)}: ${message}`, { code: error.code, cause: error });
}

function result({ name }: Connector, errors: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const error = errors.get(name);
  if (error === undefined) return { name, done: true };
  return { name, done: false, reason: error instanceof Error ? error.message : String(error) };
}
