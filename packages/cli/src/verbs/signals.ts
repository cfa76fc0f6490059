/** `millrace signals`: the signals that a connector accepts, and sending one. */
import { ConnectError } from '@millrace/sdk';
import { type Actions, actionsPath } from '../connectors/actions';
import { EXIT } from '../exit-codes';
import { writeAnswer } from '../output/answer';
import { printable } from '../output/printable';
import { isRunnable, shellQuote } from '../output/shell-quote';
import type { Invocation, VerbSpec } from '../program/command-spec';
import { wholeNumber } from '../program/shared-options';
import { withClient } from '../rest/clients';
import type { ConnectClient } from '../rest/connect-client';
import { requestMillrace } from '../rest/millrace-route';
import { objectOf, path, textOf } from '../rest/reply';

export const command: VerbSpec = {
  name: 'signals',
  description: `List the signals that a connector accepts, or send one to its tasks, for example to read a table again.

The connector must run. A signal that was accepted survives a restart.`,
  arguments: [
    { name: '<connector>', description: 'name of the connector', completes: 'connectors' },
    { name: '[type]', description: 'the signal to send (default: list them)' },
  ],
  options: [
    { flags: '-d, --data <json>', description: 'parameters of the signal, a JSON object' },
    { flags: '--id <id>', description: 'names the signal in logs and notifications (default: a random one)' },
    { flags: '--task <number>', description: 'only this task (default: all)', parse: wholeNumber(0, 2 ** 31 - 1) },
  ],
  shared: ['output', 'server'],
  examples: [
    { command: 'signals orders', explanation: 'What it accepts, with examples' },
    {
      command: `signals orders execute-snapshot -d '{"data-collections": ["public.orders"]}'`,
      explanation: 'Read a table again',
    },
  ],
  run,
};

interface Options {
  readonly data?: string;
  readonly id?: string;
  readonly task?: number;
}

async function run(invocation: Invocation): Promise<number> {
  const [name, type] = invocation.args as readonly [string, string?];
  const options = invocation.options as Options;
  if (type === undefined && [options.data, options.id, options.task].some((value) => value !== undefined))
    throw usage('Name the type of the signal to send.');
  const body = type === undefined ? '' : signalText(type, options);
  return await withClient(invocation, async (client) => {
    if (type === undefined) return await list(client, invocation, name);
    const { task } = options;
    const at = `${path`/connectors/${name}`}${task === undefined ? '' : `/tasks/${task}`}/signals`;
    const reply = await requestMillrace(client, at, { method: 'POST', text: body });
    const id = textOf(objectOf(reply, `POST ${at}`).id);
    const whom = task === undefined ? 'all tasks' : `task ${task}`;
    writeAnswer(
      invocation,
      { name, type, id },
      () => `${printable(name)}: ${whom} accepted ${printable(type)} ${printable(id)}\n`,
    );
    return EXIT.success;
  });
}

/** The data is sent as it is, so that numbers keep all their digits. */
function signalText(type: string, { id, data }: Options): string {
  const parts = [`"type":${JSON.stringify(type)}`, ...(id === undefined ? [] : [`"id":${JSON.stringify(id)}`])];
  if (data === undefined) return `{${parts.join()}}`;
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    throw usage(`--data is not JSON: ${(error as Error).message}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usage(`--data must be a JSON object, such as '{"data-collections": ["public.orders"]}'.`);
  return `{${parts.join()},"data":${data}}`;
}

async function list(client: ConnectClient, invocation: Invocation, name: string): Promise<number> {
  const { signals } = await requestMillrace<Actions>(client, actionsPath(name));
  writeAnswer(invocation, { name, signals }, () =>
    (signals ?? []).map((signal) => signalLines(name, signal)).join('\n'),
  );
  if (signals === null)
    invocation.io.stderr.write(`The plugin of ${printable(name)} does not say which signals it accepts, if any.\n`);
  return EXIT.success;
}

function signalLines(name: string, { type, description, example }: NonNullable<Actions['signals']>[number]): string {
  const data = example === undefined ? '' : ` -d ${shellQuote(JSON.stringify(example))}`;
  const send = `millrace signals ${shellQuote(name)} ${shellQuote(type)}${data}`;
  return [type, `  ${description}`, ...(isRunnable(send) ? [`  ${send}`] : [])]
    .map((line) => `${printable(line)}\n`)
    .join('');
}

function usage(message: string): ConnectError {
  return new ConnectError(message, { code: 'CLI_USAGE' });
}
