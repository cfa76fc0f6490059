/** `millrace history`: what changed lately, who or what caused it, and why. */
import { EXIT } from '../exit-codes';
import { type Change, changeLines } from '../connectors/config-changes';
import { writeAnswer } from '../output/answer';
import { type Paint, paintOf } from '../output/colours';
import { indentedLines, printable } from '../output/printable';
import type { Invocation, VerbSpec } from '../program/command-spec';
import { wholeNumber } from '../program/shared-options';
import { withClient } from '../rest/clients';
import { requestMillrace } from '../rest/millrace-route';

export const command: VerbSpec = {
  name: 'history',
  description: `Show what changed lately, the newest first: configs, states, restarts, failures, connections, log levels; by whom, and why.

Each worker keeps the newest changes in memory, and reads them from the topics of the group when it starts.`,
  arguments: [
    { name: '[connector]', description: 'only changes of this connector (default: all)', completes: 'connectors' },
  ],
  options: [{ flags: '-n, --limit <number>', description: 'changes', default: 50, parse: wholeNumber(1, 10_000) }],
  shared: ['output', 'server'],
  examples: [
    { command: 'history', explanation: 'The last 50 changes of the group' },
    { command: 'history orders -n 10', explanation: 'The last ten of one connector' },
  ],
  run,
};

/** An entry of `GET /changes`. */
interface RecordedChange {
  readonly at: number | null;
  readonly kind: string;
  readonly subject: string;
  readonly task: number | null;
  readonly cause: { readonly by: string; readonly user: string | null; readonly detail: string | null };
  readonly keys: readonly { readonly key: string; readonly before: string | null; readonly after: string | null }[];
}

interface Changes {
  readonly since: number | null;
  readonly changes: readonly RecordedChange[];
}

async function run(invocation: Invocation): Promise<number> {
  const { io, args, options } = invocation;
  const [connector] = args;
  const query = new URLSearchParams({
    limit: String(options.limit),
    ...(connector !== undefined && { connector }),
  });
  return await withClient(invocation, async (client) => {
    const found = await requestMillrace<Changes>(client, `/changes?${query.toString()}`);
    const paint = paintOf(io);
    writeAnswer(invocation, found, () => found.changes.map((change) => changeText(change, paint)).join(''));
    if (options.output !== 'table') return EXIT.success;
    if (found.changes.length === 0) io.stderr.write('No changes are known.\n');
    else if (found.since !== null) io.stderr.write(`Changes before ${timeText(found.since)} are not kept.\n`);
    return EXIT.success;
  });
}

function changeText({ at, kind, subject, task, cause, keys }: RecordedChange, paint: Paint): string {
  const { by, user, detail } = cause;
  const who =
    by === 'user' ? ` by ${user === null ? 'a user' : printable(user)}` : by === 'automatic' ? ', automatically' : '';
  const part = task === null ? '' : ` task ${task}`;
  const why = detail === null || detail === '' ? '' : `: ${indentedLines(detail)}`;
  const changes = keys.map(({ key, before, after }): Change => ({
    key,
    ...(before !== null && { from: before }),
    ...(after !== null && { to: after }),
  }));
  const time = paint('grey', at === null ? 'unknown time' : timeText(at));
  return `${time}  ${paint('bold', `${printable(subject)}${part}`)}  ${printable(kind)}${who}${why}\n${changeLines(changes, paint)}`;
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}
