/** `millrace offsets`: exports, imports and resets the offsets of a connector. */
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { ConnectError, monotonicNow, sleep } from '@millrace/sdk';
import { awaitStates } from '../connectors/await-state';
import { isStopped, readStatus, type Status } from '../connectors/connectors';
import { changeConnector, RESUME, WAIT_OPTIONS, type WaitOptions } from '../connectors/lifecycle';
import { EXIT } from '../exit-codes';
import type { CliIo } from '../io';
import { confirm } from '../output/confirm';
import { indentedLines, printable, printableLines } from '../output/printable';
import { type ShowProgress, withProgress } from '../output/progress-line';
import { isRunnable, shellQuote } from '../output/shell-quote';
import type { Invocation, VerbSpec } from '../program/command-spec';
import { withClient } from '../rest/clients';
import type { ConnectClient, RestRequest } from '../rest/connect-client';
import { path, RestError } from '../rest/reply';

const NAME = { name: '<connector>', description: 'name of the connector', completes: 'connectors' } as const;
const RESUME_OPTIONS = [
  { flags: '--resume', description: 'resume the connector afterwards, and wait until it and its tasks run' },
  ...WAIT_OPTIONS,
];

export const command: VerbSpec = {
  name: 'offsets',
  examples: [
    { command: 'offsets export orders > orders-offsets.json', explanation: 'Keep the offsets' },
    { command: 'offsets import orders orders-offsets.json --resume', explanation: 'Go back to them' },
  ],
  subcommands: [
    {
      name: 'export',
      summary: 'print the offsets of a connector as JSON',
      arguments: [NAME],
      shared: ['server'],
      examples: [{ command: 'offsets export orders > orders-offsets.json', explanation: 'Keep the offsets' }],
      run: exportOffsets,
    },
    {
      name: 'import',
      summary: 'set the offsets of a connector',
      description: `Set the offsets of a connector to those of a file, as "millrace offsets export" and GET /connectors/NAME/offsets return them.

A connector that runs is stopped first. Partitions that the file does not have keep their offsets; one whose offset is null is removed.`,
      arguments: [
        NAME,
        { name: '<file>', description: 'the offsets in JSON; - is standard input', completes: 'files' },
      ],
      options: RESUME_OPTIONS,
      shared: ['confirm', 'server'],
      examples: [
        { command: 'offsets import orders orders-offsets.json', explanation: 'Stop the connector and set its offsets' },
        { command: 'offsets import orders orders-offsets.json --yes --resume', explanation: 'In a script' },
      ],
      run: importOffsets,
    },
    {
      name: 'reset',
      summary: 'delete all offsets of a connector, so that it starts from the beginning',
      arguments: [NAME],
      options: RESUME_OPTIONS,
      shared: ['confirm', 'server'],
      examples: [{ command: 'offsets reset orders --resume', explanation: 'Read everything again' }],
      run: resetOffsets,
    },
  ],
};

const PAUSE_MS = 250;
const STOPPED: Status = { state: 'STOPPED', worker: '', tasks: [] };

interface OffsetChange {
  readonly name: string;
  /** What happens, for the question: `Delete all offsets of orders`. */
  readonly change: string;
  readonly request: RestRequest;
}

/**
 * Stops a connector, changes its offsets, and resumes it if that was asked for. Resolves to the exit code.
 */
async function changeOffsets(invocation: Invocation, change: OffsetChange): Promise<number> {
  return await withProgress(invocation, async (shown, show) => {
    return await withClient(shown, (client) => carryOut(client, shown, change, show));
  });
}

async function carryOut(
  client: ConnectClient,
  invocation: Invocation,
  { name, change, request }: OffsetChange,
  show: ShowProgress,
): Promise<number> {
  const { io } = invocation;
  const options = invocation.options as WaitOptions & { readonly resume?: boolean };
  if (!(await stopFirst(client, invocation, { name, change, show }))) return EXIT.failed;
  const resume = `millrace resume ${shellQuote(name)}`;
  const staysStopped = `${name} stays stopped: ${isRunnable(resume) ? `"${resume}"` : '"millrace resume"'} starts it.\n`;
  let message: string;
  try {
    ({ message } = await repeatWhileLeaving(invocation, () =>
      client.request<{ message: string }>(path`/connectors/${name}/offsets`, request),
    ));
  } catch (error) {
    io.stderr.write(printableLines(staysStopped));
    throw error;
  }
  io.stdout.write(`${indentedLines(message)}\n`);
  if (options.resume !== true) {
    io.stderr.write(printableLines(staysStopped));
    return EXIT.success;
  }
  const onPoll = (): void => show(() => `Waiting for ${name} to run`);
  const verdict = await changeConnector(client, { name, status: STOPPED }, RESUME, options, onPoll);
  io.stderr.write(`${printable(name)}${options.wait === false ? `: ${verdict}` : ` is ${verdict}.`}\n`);
  return EXIT.success;
}

/** True if the connector is stopped: it was before, or the user agreed to stop it. */
async function stopFirst(
  client: ConnectClient,
  invocation: Invocation,
  { name, change, show }: Pick<OffsetChange, 'name' | 'change'> & { readonly show: ShowProgress },
): Promise<boolean> {
  const { io } = invocation;
  const read = async (): Promise<Status> => {
    const status = await readStatus(client, name);
    if (!status) throw new ConnectError(`There is no connector "${name}".`, { code: 'REST_NOT_FOUND' });
    return status;
  };
  const wasStopped = isStopped(await read());
  if (
    !(await confirm(
      invocation,
      wasStopped ? `${change}?` : `Stop ${name} and ${change.charAt(0).toLowerCase()}${change.slice(1)}?`,
    ))
  )
    return false;
  if (wasStopped) return true;
  await client.request(path`/connectors/${name}/stop`, { method: 'PUT' });
  await awaitStates(
    client,
    [name],
    { isReached: isStopped, mustRun: false },
    {
      read: async () => new Map([[name, await read()]]),
      before: new Map(),
      timeoutMs: timeoutMs(invocation),
      onPoll: () => show(() => `Waiting for ${name} to stop`),
    },
    (_, { end }) => {
      if (end !== 'reached')
        throw new ConnectError(`${name} has not stopped in time; its offsets are unchanged.`, {
          code: 'OFFSETS_NOT_STOPPED',
        });
    },
  );
  io.stderr.write(`${printable(name)} is stopped.\n`);
  return true;
}

/** Tasks of a sink may still be leaving their group; workers say that the request can be repeated then. */
async function repeatWhileLeaving<T>(invocation: Invocation, request: () => Promise<T>): Promise<T> {
  const deadline = monotonicNow() + timeoutMs(invocation);
  for (;;) {
    try {
      return await request();
    } catch (error) {
      const passes = error instanceof RestError && /can be safely retried/.test(error.message);
      if (!passes || monotonicNow() > deadline) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

function timeoutMs({ options }: Invocation): number {
  return ((options as { requestTimeout?: number }).requestTimeout ?? 90) * 1000;
}

/** As the worker returns them, so that they can be imported again. */
async function exportOffsets(invocation: Invocation): Promise<number> {
  return await withClient(invocation, async (client) => {
    const text = await client.requestText(path`/connectors/${invocation.args[0] as string}/offsets`);
    invocation.io.stdout.write(`${text.trimEnd()}\n`);
    return 0;
  });
}

const LARGEST_FILE = 64 * 1024 * 1024;

async function importOffsets(invocation: Invocation): Promise<number> {
  const [name, file] = invocation.args as readonly [string, string];
  const { text, count } = await readOffsets(file, invocation.io);
  const change = `Set ${count} offset${count === 1 ? '' : 's'} of ${name}`;
  return await changeOffsets(invocation, { name, change, request: { method: 'PATCH', text } });
}

/** The text is sent as it is, so that numbers keep all their digits. @throws ConnectError `OFFSETS_FILE` */
async function readOffsets(file: string, io: CliIo): Promise<{ readonly text: string; readonly count: number }> {
  const name = file === '-' ? 'standard input' : resolve(io.cwd, file);
  try {
    const text = file === '-' ? await readStream(io.stdin) : await readText(name);
    const { offsets } = (JSON.parse(text) ?? {}) as { offsets?: unknown };
    if (!Array.isArray(offsets) || offsets.length === 0) throw new Error('it has no list "offsets" with entries');
    return { text, count: offsets.length };
  } catch (cause) {
    throw new ConnectError(
      `Cannot use the offsets in ${name}: ${(cause as Error).message}. "millrace offsets export" writes such a file.`,
      { code: 'OFFSETS_FILE', cause },
    );
  }
}

async function readText(file: string): Promise<string> {
  if ((await stat(file)).size > LARGEST_FILE) throw new Error(`it is larger than ${LARGEST_FILE} bytes`);
  return await readFile(file, 'utf8');
}

async function readStream(stream: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(part);
    if ((size += bytes.length) > LARGEST_FILE) throw new Error(`it is larger than ${LARGEST_FILE} bytes`);
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString();
}

async function resetOffsets(invocation: Invocation): Promise<number> {
  const name = invocation.args[0] as string;
  const change = `Delete all offsets of ${name}, so that it starts from the beginning`;
  return await changeOffsets(invocation, { name, change, request: { method: 'DELETE' } });
}
