/** Log lines that differ in numbers only, as one; and reasons that several lines have, once. Pure. */
import type { LogLine } from '../../worker-api';

export interface FoldedLine {
  /** The same while lines are added. */
  readonly key: string;
  /** The newest of them. */
  readonly line: LogLine;
  readonly count: number;
  /** Time of the oldest one. */
  readonly first: number;
  /** What follows the first line of the text, such as a trace; null: nothing. */
  readonly reason: string | null;
  /** Time of the newer line that has this reason, too; null: it is shown here. */
  readonly reasonAt: number | null;
}

/** @param lines the oldest first. @returns in the order of their newest lines, the oldest first */
export function foldedLines(lines: readonly LogLine[]): readonly FoldedLine[] {
  const groups = new Map<string, { line: LogLine; count: number; first: number }>();
  for (const line of lines) {
    const key = patternOf(line);
    const { count = 0, first = line.at } = groups.get(key) ?? {};
    // Again at the end.
    groups.delete(key);
    groups.set(key, { line, count: count + 1, first });
  }
  return withReasons([...groups].map(([key, group]) => ({ key, ...group })));
}

/** Each as it is. */
export function singleLines(lines: readonly LogLine[]): readonly FoldedLine[] {
  return withReasons(lines.map((line) => ({ key: keyOf(line), line, count: 1, first: line.at })));
}

export function keyOf({ worker, sequence }: LogLine): string {
  return `${worker} ${sequence}`;
}

function patternOf({ level, logger, task, text }: LogLine): string {
  return `${level}\n${logger}\n${task}\n${text.replace(/\d+/g, '0')}`;
}

function withReasons(groups: readonly Omit<FoldedLine, 'reason' | 'reasonAt'>[]): readonly FoldedLine[] {
  const shown = new Map<string, number>();
  return [...groups]
    .reverse()
    .map((group) => {
      const { at, text } = group.line;
      const end = text.indexOf('\n');
      const reason = end < 0 ? null : text.slice(end + 1);
      const reasonAt = (reason !== null && shown.get(reason)) || null;
      if (reason !== null && reasonAt === null) shown.set(reason, at);
      return { ...group, reason, reasonAt };
    })
    .reverse();
}
