/** What `millrace describe connector` shows to people. */
import { fieldsText, indented, membersText, sectionText, tableText } from '../output/layout';
import { paintState, type Paint } from '../output/colours';
import { printable } from '../output/printable';

export interface DescribedInstance {
  readonly state: string;
  readonly worker: string;
  /** Messages of the trace of a FAILED one. */
  readonly trace?: readonly string[];
}

/** Without secrets. */
export type ShownConfig = Readonly<Record<string, string>>;

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

export interface DescribedConnector extends DescribedInstance {
  readonly name: string;
  readonly type: string;
  readonly tasks: readonly DescribedTask[];
  readonly config: ShownConfig;
  readonly topics: readonly string[] | Unavailable;
  readonly offsets: readonly OffsetEntry[] | Unavailable;
}

export function connectorText(described: DescribedConnector, paint: Paint): string {
  const { name, type, state, worker, trace, tasks, config, topics, offsets } = described;
  return [
    fieldsText([
      ['Name', name],
      ['Type', type],
      ['State', paintState(paint, state)],
      ['Worker', worker],
    ]),
    traceText(trace, ''),
    sectionText(
      'Tasks',
      tasks.map((task) => {
        const place = task.worker === '' ? '' : ` on ${task.worker}`;
        return `  ${task.id}: ${paintState(paint, task.state)}${printable(place)}\n${traceText(task.trace, '  ')}`;
      }),
    ),
    configText('Config', config),
    ...tasks.flatMap((task) => (task.config ? [configText(`Config of task ${task.id}`, task.config)] : [])),
    sectionText(
      'Topics',
      isUnavailable(topics) ? [unavailableText(topics)] : topics.map((topic) => `  ${printable(topic)}\n`),
    ),
    sectionText('Offsets', isUnavailable(offsets) ? [unavailableText(offsets)] : offsetLines(offsets)),
  ].join('');
}

function configText(heading: string, config: ShownConfig): string {
  return sectionText(heading, [indented(fieldsText(Object.entries(config)))]);
}

function traceText(trace: readonly string[] = [], indent: string): string {
  return trace.map((line) => `${indent}  ${printable(line).trimEnd()}\n`).join('');
}

function offsetLines(offsets: readonly OffsetEntry[]): readonly string[] {
  if (offsets.length === 0) return [];
  const rows = offsets.map(({ partition, offset }) => [membersText(partition), membersText(offset)]);
  return [indented(tableText(['PARTITION', 'OFFSET'], rows))];
}

function isUnavailable(value: readonly unknown[] | Unavailable): value is Unavailable {
  return !Array.isArray(value);
}

function unavailableText({ unavailable }: Unavailable): string {
  return `  not available: ${printable(unavailable)}\n`;
}
