/**
 * `millrace apply`: compares, validates, asks, changes what differs, and waits until it runs. What fails does not stop
 * the rest. A repeated or resumed apply leaves alone what is already as the files say.
 */
import { isConnectError } from '@millrace/sdk';
import { readRemainders } from '../connectors/actions';
import { type Outcome, waitUntilRunning } from '../connectors/await-state';
import { readStatuses, type Status } from '../connectors/connectors';
import { planText, planValue, readPlan, type Step } from '../connectors/plan';
import { type FieldErrors, validateConfigs, validationText, warningLines } from '../connectors/validate-configs';
import { EXIT } from '../exit-codes';
import { writeAnswer } from '../output/answer';
import { paintOf } from '../output/colours';
import { confirm } from '../output/confirm';
import { indentedLines, printable } from '../output/printable';
import { type ShowProgress, withProgress } from '../output/progress-line';
import type { Invocation, VerbSpec } from '../program/command-spec';
import { FILE_OPTIONS, PRUNE_OPTIONS, wholeNumber } from '../program/shared-options';
import { sideBySide, withClient } from '../rest/clients';
import type { ConnectClient } from '../rest/connect-client';
import { path } from '../rest/reply';

export const command: VerbSpec = {
  name: 'apply',
  description: `Create and change connectors as files describe them.

It shows the differences, validates all configs before it changes one, leaves unchanged connectors alone, and waits until the others run. If some fail, it continues with the rest and exits with code 1. Files are JSON, YAML or properties; \${NAME} is replaced by a variable of the environment.`,
  options: [
    ...FILE_OPTIONS,
    ...PRUNE_OPTIONS,
    { flags: '--dry-run', description: 'show the differences and validate, change nothing' },
    { flags: '--no-wait', description: 'do not wait until connectors and tasks run' },
    { flags: '--timeout <seconds>', description: 'time to wait', default: 120, parse: wholeNumber(1, 86_400) },
  ],
  shared: ['confirm', 'server', 'output'],
  examples: [
    { command: 'apply -f connectors/ --dry-run', explanation: 'What would change' },
    {
      command: 'apply -f connectors/ --prune --selector team=a',
      explanation: 'Also delete other connectors of team a',
    },
  ],
  run,
};

interface ApplyOptions {
  readonly dryRun?: boolean;
  readonly output?: string;
  readonly timeout: number;
  /** False with `--no-wait`. */
  readonly wait?: boolean;
}

async function run(invocation: Invocation): Promise<number> {
  return await withProgress(invocation, async (shown, show) => {
    return await withClient(shown, (client) => apply(client, shown, show));
  });
}

async function apply(client: ConnectClient, invocation: Invocation, show: ShowProgress): Promise<number> {
  const { io } = invocation;
  const { dryRun, output, timeout, wait } = invocation.options as unknown as ApplyOptions;
  const steps = await readPlan(client, invocation);
  if (output === 'table' || output === undefined) io.stdout.write(planText(steps, paintOf(io)));
  const answer = (failed: ReadonlyMap<string, string>): void => {
    const value = (planValue(steps) as Step[]).map((step) => ({ ...step, error: failed.get(step.name) }));
    if (output === 'json' || output === 'yaml') writeAnswer(invocation, value, () => '');
  };
  const changed = steps.filter(({ action }) => action !== 'none');
  const validated = await validateConfigs(
    client,
    changed.flatMap(({ document }) => document ?? []),
  );
  const invalid = validated.filter(({ fields }) => fields.length > 0);
  if (invalid.length > 0) {
    io.stderr.write(`${validationText(invalid)}Nothing was changed.\n`);
    answer(new Map(invalid.flatMap(({ name, fields: [first] }) => (first ? [[name, reasonOf(first)]] : []))));
    return EXIT.no;
  }
  for (const { name, warnings = [] } of validated)
    if (warnings.length > 0) io.stderr.write(`${[printable(name), ...warningLines(warnings)].join('\n')}\n`);
  if (dryRun === true || changed.length === 0) {
    answer(new Map());
    return EXIT.success;
  }
  const touched = changed.filter(({ action }) => action !== 'create').length;
  if (touched > 0 && !(await confirm(invocation, `Change or delete ${touched} connectors?`))) {
    io.stderr.write('Nothing was changed.\n');
    return EXIT.failed;
  }
  const deleted = changed.filter(({ action }) => action === 'delete').map(({ name }) => name);
  const remainders = await readRemainders(client, deleted);
  const failed = new Map<string, string>();
  const say = (line: string): void => void io.stderr.write(`${indentedLines(line)}\n`);
  const before = wait === false ? new Map<string, Status>() : await readStatuses(client);
  await sideBySide(changed, async (step) => {
    try {
      await carryOut(client, step);
      say(`${step.name}: ${DONE[step.action]}`);
      for (const line of remainders.get(step.name) ?? []) say(line);
    } catch (error) {
      if (!isConnectError(error)) throw error;
      failed.set(step.name, error.message);
      say(`${step.name}: cannot ${step.action} it: ${error.message} (${error.code})`);
    }
  });
  if (wait !== false) {
    const names = changed
      .filter(({ name, action }) => action !== 'delete' && !failed.has(name))
      .map(({ name }) => name);
    const onSettled = (name: string, { isReached, text }: Outcome): void => {
      if (!isReached) failed.set(name, text);
      say(`${name}: ${text}`);
    };
    await waitUntilRunning(client, names, { before, timeoutMs: timeout * 1000, onSettled, show });
  }
  answer(failed);
  if (failed.size === 0) return EXIT.success;
  say(`${failed.size} of ${changed.length} connectors failed: ${[...failed.keys()].join(', ')}`);
  return EXIT.failed;
}

function reasonOf({ key, errors }: FieldErrors): string {
  return `${key}: ${errors.join(' ')}`;
}

const DONE = { create: 'created', update: 'changed', delete: 'deleted', none: '' } as const;

async function carryOut(client: ConnectClient, { name, action, document }: Step): Promise<void> {
  if (action === 'delete') {
    await client.request(path`/connectors/${name}`, { method: 'DELETE', accept: [404] });
  } else if (action === 'create' && document?.initialState) {
    const { config, initialState } = document;
    await client.request('/connectors', { method: 'POST', body: { name, config, initial_state: initialState } });
  } else {
    await client.request(path`/connectors/${name}/config`, { method: 'PUT', body: document?.config });
  }
}
