/** What differs between a Java worker with its connectors and Millrace, and how it is shown. */
import { EXIT } from '@millrace/cli';
import type { Paint } from '@millrace/cli/terminal';
import { escapeControls } from '@millrace/texts/escape-controls';
import { DIFFERENCE_KINDS, type Difference, type DifferenceKind } from '../../../../config/differences/difference';

/** `unchecked`: it depends on something that is not on this machine. */
export type LineKind = DifferenceKind | 'unchecked';
export const LINE_KINDS = [...DIFFERENCE_KINDS, 'unchecked'] as const satisfies readonly LineKind[];

export interface Line extends Omit<Difference, 'kind' | 'key'> {
  readonly kind: LineKind;
  /** Null: the line is about all of its source. */
  readonly key: string | null;
}

/** A worker's file, the environment, or a connector. */
export interface Source {
  readonly type: 'worker' | 'environment' | 'connector';
  /** The path, `environment`, or the connector's name. */
  readonly name: string;
  /** Of a connector: its file. */
  readonly place: string | null;
  readonly lines: readonly Line[];
  /** Settings that work as in Java. */
  readonly same: number;
  /** Of a connector. */
  readonly runs?: Place;
}

/** Where a connector would run. */
export interface Place {
  readonly where: 'natively' | 'jvm' | 'nowhere';
  /** The folder or jar; null: nowhere. */
  readonly location: string | null;
}

export interface MigrationReport {
  /** By kind, and `same`. */
  readonly summary: Readonly<Record<LineKind | 'same', number>>;
  /** How many would run where. */
  readonly connectors: Readonly<Record<Place['where'], number>>;
  readonly sources: readonly Source[];
  /** Lines beyond the limit, which the summary counts. */
  readonly omitted: number;
}

const MOST_LINES = 2_000;
const COLOURS = {
  rejected: 'red',
  ignored: 'yellow',
  changed: 'yellow',
  replaced: 'cyan',
  unchecked: 'grey',
} as const satisfies Readonly<Record<LineKind, Parameters<Paint>[0]>>;
const WIDTH = Math.max(...LINE_KINDS.map((kind) => kind.length)) + 2;

/** Lines by kind, those of a kind in their order. */
export function migrationReport(sources: readonly Source[]): MigrationReport {
  const all = sources.flatMap(({ lines }) => lines);
  const count = (kind: LineKind): number => all.filter((line) => line.kind === kind).length;
  const running = (where: Place['where']): number => sources.filter(({ runs }) => runs?.where === where).length;
  let left = MOST_LINES;
  return {
    summary: {
      rejected: count('rejected'),
      ignored: count('ignored'),
      changed: count('changed'),
      replaced: count('replaced'),
      unchecked: count('unchecked'),
      same: sources.reduce((sum, { same }) => sum + same, 0),
    },
    connectors: { natively: running('natively'), jvm: running('jvm'), nowhere: running('nowhere') },
    sources: sources.map((source) => {
      const sorted = LINE_KINDS.flatMap((kind) => source.lines.filter((line) => line.kind === kind));
      const lines = sorted
        .slice(0, left)
        .map(({ kind, key, message, instead }): Line => ({ kind, key, message, instead }));
      left -= lines.length;
      return { ...source, lines };
    }),
    omitted: Math.max(0, all.length - MOST_LINES),
  };
}

/** `no` if something is rejected. */
export function exitCodeOf({ summary }: MigrationReport): number {
  return summary.rejected > 0 ? EXIT.no : EXIT.success;
}

export function reportText({ summary, connectors, sources, omitted }: MigrationReport, paint: Paint): string {
  const lines = sources.flatMap((source) => [
    paint('bold', titleOf(source)) + remarksOf(source),
    ...grouped(source.lines).flatMap(({ kind, keys, text }) => [
      ...keys.map((key, i) => `  ${i === 0 ? paint(COLOURS[kind], kind.padEnd(WIDTH)) : ' '.repeat(WIDTH)}${key}`),
      `  ${keys.length === 0 ? paint(COLOURS[kind], kind.padEnd(WIDTH)) : ' '.repeat(WIDTH + 2)}${text}`,
    ]),
    '',
  ]);
  if (omitted > 0) lines.push(`${omitted} more lines are not shown.`, '');
  return `${[...lines, ...placesOf(connectors), summaryOf(summary)].join('\n')}\n`;
}

interface Group {
  readonly kind: LineKind;
  readonly keys: readonly string[];
  readonly text: string;
}

/** Keys about which the same is said follow one another. */
function grouped(lines: readonly Line[]): readonly Group[] {
  const groups = new Map<string, { readonly kind: LineKind; readonly keys: string[]; readonly text: string }>();
  for (const { kind, key, message, instead } of lines) {
    const text = escapeControls(`${message}${instead === null ? '' : ` ${instead}`}`);
    const group = groups.get(`${kind} ${text}`) ?? { kind, keys: [], text };
    if (key !== null) group.keys.push(escapeControls(key));
    groups.set(`${kind} ${text}`, group);
  }
  return [...groups.values()];
}

function titleOf({ type, name, place }: Source): string {
  return escapeControls(type === 'connector' ? `connector ${name}${place === null ? '' : ` (${place})`}` : name);
}

function remarksOf({ same, runs }: Source): string {
  const remarks = [
    ...(same > 0 ? [`${same} the same`] : []),
    ...(runs?.where === 'jvm' ? [`runs in a JVM with ${escapeControls(runs.location ?? '')}`] : []),
  ];
  return remarks.length === 0 ? '' : `: ${remarks.join(', ')}`;
}

function placesOf({ natively, jvm, nowhere }: MigrationReport['connectors']): readonly string[] {
  if (natively + jvm + nowhere === 0) return [];
  return [`Connectors that run natively: ${natively}, in a JVM: ${jvm}, not: ${nowhere}.`];
}

function summaryOf(summary: MigrationReport['summary']): string {
  const parts = LINE_KINDS.filter((kind) => kind === 'rejected' || summary[kind] > 0);
  const counts = parts.map((kind) => `${summary[kind]} ${kind}`).join(', ');
  const next =
    summary.rejected > 0
      ? 'Correct what is rejected.'
      : 'Nothing is rejected. Before the move, millrace doctor --config FILE checks what the settings connect to.';
  return `${counts}, ${summary.same} the same. ${next}`;
}
