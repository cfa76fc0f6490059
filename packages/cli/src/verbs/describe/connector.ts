/** `millrace describe connector` */
import { ConnectError } from '@millrace/sdk';
import { redactText } from '@millrace/texts/redaction';
import { type Instance, statusOf } from '../../connectors/connectors';
import { type Health, healthOf } from '../../connectors/health';
import { problemsText } from '../../connectors/problem-text';
import { type ConnectorRuntime, jvmText, pluginInUseText, runtimeOf } from '../../connectors/runtime';
import { type Problem, problemsOf } from '../../connectors/problems';
import { serverOptions } from '../../connectors/action-commands';
import { shownValue } from '../../connectors/config-changes';
import { writeAnswer } from '../../output/answer';
import { type Paint, paintHealth, paintOf, paintState } from '../../output/colours';
import { fieldsText, indented, membersText, sectionText, tableText, wrapText } from '../../output/layout';
import { printable } from '../../output/printable';
import type { Invocation } from '../../program/command-spec';
import { withClient } from '../../rest/clients';
import type { ConnectClient } from '../../rest/connect-client';
import { listOf, objectOf, path, RestError, textOf } from '../../rest/reply';

export async function run(invocation: Invocation): Promise<number> {
  const { taskConfigs = false } = invocation.options as { taskConfigs?: boolean };
  const { io, args } = invocation;
  const name = args[0] as string;
  const described = await withClient(invocation, (client) => describe(client, name, taskConfigs));
  writeAnswer(invocation, described, () =>
    connectorText(described, paintOf(io), serverOptions(invocation), io.stdout.columns),
  );
  return 0;
}

async function describe(client: ConnectClient, name: string, taskConfigs: boolean): Promise<DescribedConnector> {
  const at = path`/connectors/${name}`;
  const found = await client.request(at, { accept: [404] });
  if (found === undefined) throw new ConnectError(`There is no connector "${name}".`, { code: 'REST_NOT_FOUND' });
  const info = objectOf(found, `GET ${at}`);
  const [status, shownHealth, configs, topics, offsets] = await Promise.all([
    // Right after its creation a connector has no status yet.
    client.request(`${at}/status`, { accept: [404] }),
    // Other workers than Millrace's, such as Java's, have no health.
    ifAvailable(() => client.request(`${at}/health`)),
    taskConfigs ? taskConfigsOf(client, name) : new Map<number, ShownConfig>(),
    ifAvailable(() => topicsOf(client, name)),
    ifAvailable(() => offsetsOf(client, name)),
  ]);
  const all = statusOf(status, `GET ${at}/status`);
  const { tasks, ...connector } = all;
  const health = healthOf(shownHealth);
  return {
    name,
    type: textOf(info.type) || 'unknown',
    ...instanceOf(connector),
    ...runtimeOf(shownHealth),
    health: health && { summary: health.summary, reasons: health.reasons },
    problems: problemsOf({ name, type: '', class: '', status: all, health }),
    tasks: tasks.map((task) => ({ id: task.id, ...instanceOf(task), ...configOf(configs.get(task.id)) })),
    config: shownConfig(objectOf(info.config ?? {}, `GET ${at}`)),
    topics,
    offsets,
  };
}

function instanceOf({ state, worker, trace }: Instance): DescribedInstance {
  return { state, worker, ...(trace !== undefined && { trace: traceLines(trace) }) };
}

function configOf(config: ShownConfig | undefined): { readonly config?: ShownConfig } {
  return config === undefined ? {} : { config };
}

/** Sorted, without secrets. */
function shownConfig(config: Readonly<Record<string, unknown>>): ShownConfig {
  const entries = Object.entries(config).sort(byKey);
  return Object.fromEntries(entries.map(([key, value]) => [key, shownValue(key, textOf(value))]));
}

/** By the number of the task. */
async function taskConfigsOf(client: ConnectClient, name: string): Promise<ReadonlyMap<number, ShownConfig>> {
  const at = path`/connectors/${name}/tasks`;
  const tasks = listOf(await client.request(at), `GET ${at}`).map((entry) => {
    const { id, config } = objectOf(entry, `GET ${at}`);
    return [Number(objectOf(id, `GET ${at}`).task), shownConfig(objectOf(config, `GET ${at}`))] as const;
  });
  return new Map(tasks);
}

async function topicsOf(client: ConnectClient, name: string): Promise<readonly string[]> {
  const at = path`/connectors/${name}/topics`;
  const { topics } = objectOf(objectOf(await client.request(at), `GET ${at}`)[name], `GET ${at}`);
  return listOf(topics, `GET ${at}`).map(textOf).sort();
}

async function offsetsOf(client: ConnectClient, name: string): Promise<readonly OffsetEntry[]> {
  const at = path`/connectors/${name}/offsets`;
  const { offsets } = objectOf(await client.request(at, { exact: true }), `GET ${at}`);
  return listOf(offsets, `GET ${at}`).map((entry) => {
    const { partition, offset } = objectOf(entry, `GET ${at}`);
    return { partition, offset };
  });
}

/** Older workers have no offsets in REST, `topic.tracking.enable=false` refuses topics: the rest is still described. */
async function ifAvailable<T>(read: () => Promise<T>): Promise<T | { readonly unavailable: string }> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RestError) return { unavailable: error.message };
    throw error;
  }
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

export interface DescribedInstance {
  readonly state: string;
  readonly worker: string;
  /** Messages of the trace of a FAILED one. */
  readonly trace?: readonly string[];
}

/** Without secrets. */
type ShownConfig = Readonly<Record<string, string>>;

export interface DescribedTask extends DescribedInstance {
  readonly id: number;
  /** Absent unless it was asked for. */
  readonly config?: ShownConfig;
}

export interface OffsetEntry {
  readonly partition: unknown;
  readonly offset: unknown;
}

/** Why the worker does not tell. */
export interface Unavailable {
  readonly unavailable: string;
}

export interface DescribedConnector extends DescribedInstance, ConnectorRuntime {
  readonly name: string;
  readonly type: string;
  /** Null: not measured, as by Java's workers. */
  readonly health: Pick<Health, 'summary' | 'reasons'> | null;
  readonly problems: readonly Problem[];
  readonly tasks: readonly DescribedTask[];
  readonly config: ShownConfig;
  readonly topics: readonly string[] | Unavailable;
  readonly offsets: readonly OffsetEntry[] | Unavailable;
}

function connectorText(described: DescribedConnector, paint: Paint, server: string, columns?: number): string {
  const { name, type, plugin, jvms, state, health, problems, worker, trace, tasks, config, topics, offsets } =
    described;
  // Of the others, the trace says all.
  const shown = problems.filter(
    ({ label, cure, actions }) => label !== 'FAILED' || cure !== null || actions.length > 0,
  );
  return [
    fieldsText([
      ['Name', name],
      ['Type', type],
      ...(plugin ? [['Plugin', pluginInUseText(plugin)] as const] : []),
      ['State', paintState(paint, state)],
      ['Health', paintHealth(paint, health)],
      ['Worker', worker],
    ]),
    traceText(trace, '', columns),
    ...(shown.length > 0 ? [`\n${problemsText([{ name, problems: shown }], { paint, columns, server })}`] : []),
    sectionText(
      'Tasks',
      tasks.map((task) => {
        const place = task.worker === '' ? '' : ` on ${task.worker}`;
        return `  ${task.id}: ${paintState(paint, task.state)}${printable(place)}\n${traceText(task.trace, '  ', columns)}`;
      }),
    ),
    ...(jvms.length > 0
      ? [
          sectionText(
            'JVMs',
            jvms.map((jvm) => `  ${printable(jvmText(jvm))}\n`),
          ),
        ]
      : []),
    configText('Config', config),
    ...tasks.flatMap((task) => (task.config ? [configText(`Config of task ${task.id}`, task.config)] : [])),
    sectionText(
      'Topics',
      isUnavailable(topics) ? [unavailableText(topics)] : topics.map((topic) => `  ${printable(topic)}\n`),
    ),
    sectionText('Offsets', isUnavailable(offsets) ? [unavailableText(offsets)] : offsetLines(offsets, columns)),
  ].join('');
}

function configText(heading: string, config: ShownConfig): string {
  return sectionText(heading, [indented(fieldsText(Object.entries(config)))]);
}

/** @param columns width of the terminal; 0 or undefined if unknown */
function traceText(trace: readonly string[] = [], indent: string, columns?: number): string {
  const room = columns ? Math.max(columns - indent.length - 2, NARROWEST) : Infinity;
  return trace
    .flatMap((line) => (line.length > room ? wrapText(printable(line), room) : [printable(line).trimEnd()]))
    .map((line) => `${indent}  ${line}\n`)
    .join('');
}

function offsetLines(offsets: readonly OffsetEntry[], columns?: number): readonly string[] {
  if (offsets.length === 0) return [];
  const rows = offsets.map(({ partition, offset }) => [membersText(partition), membersText(offset)]);
  return [indented(tableText(['PARTITION', 'OFFSET'], rows, { columns: columns && columns - 2 }))];
}

function isUnavailable(value: readonly unknown[] | Unavailable): value is Unavailable {
  return !Array.isArray(value);
}

function unavailableText({ unavailable }: Unavailable): string {
  return `  not available: ${printable(unavailable)}\n`;
}

const NARROWEST = 36;
const LONGEST_TRACE = 64 * 1024;
const MOST_LINES = 20;
const FRAME = /^\s*(?:at |\.\.\. \d+ (?:more|common))/;

/** The messages of an exception and of its causes: at most 20 lines, without credentials. Empty without a trace. */
export function traceLines(trace = ''): readonly string[] {
  const lines = trace
    .slice(0, LONGEST_TRACE)
    .split('\n')
    .filter((line) => line.trim() !== '' && !FRAME.test(line))
    .slice(0, MOST_LINES);
  // A quoted secret may continue on the next line.
  return lines.length === 0 ? [] : redactText(lines.join('\n'), LONGEST_TRACE).split('\n');
}
