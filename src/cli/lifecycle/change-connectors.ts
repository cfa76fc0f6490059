/** Pauses, resumes, stops, restarts or deletes the connectors that the command line names. */
import { ConnectError } from '@millrace/sdk';
import { isFailed, readConnectors, type Connector } from '../connectors/connectors';
import { isPattern, selectNamed } from '../connectors/name-pattern';
import { EXIT } from '../exit-codes';
import { exitCodeOf, fail } from '../output/fail';
import { writeAnswer } from '../output/answer';
import { confirm } from '../output/confirm';
import { printable } from '../output/printable';
import { waitingText, withProgress, type ShowProgress } from '../output/progress-line';
import type { Invocation } from '../program/command-spec';
import type { ConnectClient } from '../rest/connect-client';
import { sideBySide, withClient } from '../rest/clients';
import type { Action, RestartOptions } from './actions';
import { awaitState } from './await-state';

interface Options extends RestartOptions {
  readonly all?: boolean;
  readonly wait?: boolean;
  readonly waitTimeout?: number;
  readonly output?: string;
}

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
        await change(client, connector, action, options, onPoll);
        waiting.delete(connector.name);
        if (options.output === 'table')
          writeAnswer(
            invocation,
            null,
            () => `${printable(partName(connector, options))} ${verdict(action, options)}\n`,
          );
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

async function change(
  client: ConnectClient,
  { name, status }: Connector,
  action: Action,
  { wait = true, waitTimeout = 60, ...options }: Options,
  onPoll: () => void,
): Promise<void> {
  await client.request(action.path(name, options), { method: action.method });
  const { task } = options;
  if (wait) await awaitState(client, name, action, { before: status, timeoutMs: waitTimeout * 1000, task, onPoll });
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

function verdict({ verb, done }: Action, { wait = true }: Options): string {
  return wait ? done : `${verb} requested`;
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
