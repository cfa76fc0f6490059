/** `millrace logs`: recent log lines of a connector, from all workers. */
import { isConnectError, sleep } from '@millrace/sdk';
import { EXIT } from '../exit-codes';
import { interruptible } from '../interruption';
import { yamlDocument } from '../output/answer';
import { type Paint, paintOf } from '../output/colours';
import { indentedLines, printable } from '../output/printable';
import type { Invocation, VerbSpec } from '../program/command-spec';
import { wholeNumber } from '../program/shared-options';
import { withClient } from '../rest/clients';
import { requestMillrace } from '../rest/millrace-route';
import { path } from '../rest/reply';

const LEVELS = ['ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'] as const;

export const command: VerbSpec = {
  name: 'logs',
  description: `Show recent log lines of a connector and its tasks, from all workers, the oldest first.

Each worker keeps the newest 200 of each connector in memory. "millrace loggers set" makes a logger write more.`,
  arguments: [{ name: '<connector>', description: 'name of the connector', completes: 'connectors' }],
  options: [
    { flags: '-f, --follow', description: 'print new lines as they arrive, until Ctrl-C' },
    { flags: '-n, --limit <number>', description: 'lines, the newest', default: 100, parse: wholeNumber(1, 500) },
    { flags: '--level <level>', description: 'only lines of this level and above', choices: LEVELS },
    { flags: '--task <number>', description: 'only lines of this task', parse: wholeNumber(0, 2 ** 31 - 1) },
  ],
  shared: ['output', 'server'],
  examples: [
    { command: 'logs orders', explanation: 'The last 100 lines' },
    { command: 'logs orders -f --level WARN', explanation: 'Warnings and errors, and new ones as they arrive' },
  ],
  run,
};

interface Options {
  readonly follow?: boolean;
  readonly limit: number;
  readonly level?: (typeof LEVELS)[number];
  readonly task?: number;
  readonly output?: string;
}

/** A line of `GET /connectors/NAME/logs`. */
interface Line {
  readonly sequence: number;
  readonly at: number;
  readonly worker_id: string;
  readonly level: (typeof LEVELS)[number];
  readonly logger: string;
  readonly task: number | null;
  readonly text: string;
}

interface Lines {
  readonly lines: readonly Line[];
  readonly missing: readonly string[];
}

const POLL_MS = 1_000;
/** What the worker returns at most. */
const MOST = 500;

async function run(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const options = invocation.options as unknown as Options;
  const at = path`/connectors/${invocation.args[0] as string}/logs`;
  const isWanted = ({ level, task }: Line): boolean =>
    (options.task === undefined || task === options.task) &&
    (options.level === undefined || LEVELS.indexOf(level) <= LEVELS.indexOf(options.level));
  return await withClient(invocation, async (client) => {
    const read = async (): Promise<Lines> => await requestMillrace(client, `${at}?limit=${MOST}`);
    const notes = new Notes(invocation);
    const first = await read();
    const found = first.lines.filter(isWanted);
    write(invocation, found.slice(-options.limit));
    notes.missing(first.missing);
    if (options.follow !== true) {
      if (found.length === 0) io.stderr.write('No log lines.\n');
      return EXIT.success;
    }
    const news = new News(first.lines);
    return await interruptible(io, async ({ stopping: { signal } }) => {
      for (;;) {
        await sleep(POLL_MS, signal).catch(() => undefined);
        if (signal.aborted) return EXIT.success;
        try {
          const { lines, missing } = await read();
          write(invocation, news.in(lines).filter(isWanted));
          notes.missing(missing);
        } catch (error) {
          if (!isConnectError(error) || error.code !== 'REST_UNREACHABLE') throw error;
          notes.unreachable(error.message);
        }
      }
    });
  });
}

/** Which lines were not seen before. The sequence and the clock of a worker's process only grow. */
class News {
  private readonly newest = new Map<string, Line>();

  constructor(seen: readonly Line[]) {
    this.in(seen);
  }

  in(lines: readonly Line[]): readonly Line[] {
    return lines.filter((line) => {
      const last = this.newest.get(line.worker_id);
      // After a restart of the worker, sequences begin again.
      if (last && line.at <= last.at && line.sequence <= last.sequence) return false;
      this.newest.set(line.worker_id, line);
      return true;
    });
  }
}

/** On stderr, each when it changes. */
class Notes {
  private last = '';

  constructor(private readonly invocation: Pick<Invocation, 'io'>) {}

  missing(workers: readonly string[]): void {
    this.note(
      workers.length === 0
        ? ''
        : `No log lines of ${workers.join(', ')}: it does not answer, or is no worker of Millrace.`,
    );
  }

  unreachable(message: string): void {
    this.note(`${message} Trying again.`);
  }

  private note(text: string): void {
    if (text !== '' && text !== this.last) this.invocation.io.stderr.write(`${printable(text)}\n`);
    this.last = text;
  }
}

function write({ io, options }: Invocation, lines: readonly Line[]): void {
  const { output } = options as { output?: string };
  const paint = paintOf(io);
  for (const line of lines) {
    if (output === 'json') io.stdout.write(`${JSON.stringify(line)}\n`);
    else if (output === 'yaml') io.stdout.write(yamlDocument(JSON.stringify(line)));
    else io.stdout.write(lineText(line, paint));
  }
}

const COLOURS = { ERROR: 'red', WARN: 'yellow', INFO: 'green', DEBUG: 'grey', TRACE: 'grey' } as const;

function lineText({ at, level, worker_id: worker, task, logger, text }: Line, paint: Paint): string {
  const where = `${printable(worker)}${task === null ? '' : ` task ${task}`}`;
  return `${new Date(at).toISOString()} ${paint(COLOURS[level], level)} ${where} [${printable(logger)}] ${indentedLines(text)}\n`;
}
