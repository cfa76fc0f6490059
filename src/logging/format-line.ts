/**
 * Formats a log event as a text line, with indented stack traces below it, or as a JSON document. Texts of the event,
 * which may quote anything, cannot look like another line: their line feeds and other controls are escaped.
 */
import { escapeControls, indentedLines } from '@millrace/texts/escape-controls';
import { printableLine } from './printable-line';

export type LogFormat = 'text' | 'json';
export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';

export interface LogEvent {
  readonly time: Date;
  readonly level: LogLevel;
  readonly name: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** `MILLRACE_LOG_FORMAT`; an unknown value counts as not set. */
export function logFormat(env: Readonly<Record<string, string | undefined>>): LogFormat {
  return env.MILLRACE_LOG_FORMAT?.trim().toLowerCase() === 'json' ? 'json' : 'text';
}

/**
 * @param colors colors the level of text lines, for terminals
 * @example 2026-01-02T03:04:05.678Z INFO [herder] Joined the group {"generation":3}
 */
export function formatLine(event: LogEvent, format: LogFormat, colors = false): string {
  return format === 'json' ? jsonLine(event) : textLine(event, colors);
}

/** ANSI codes. */
const COLORS: Readonly<Record<LogLevel, number>> = { error: 31, warn: 33, info: 32, debug: 36, trace: 90 };

function textLine({ time, level, name, ...event }: LogEvent, colors: boolean): string {
  const { message, fields, stacks } = printableLine(event.message, event.fields);
  const shown = escapeControls(JSON.stringify(fields));
  const shownLevel = colors ? `\u001b[${COLORS[level]}m${level.toUpperCase()}\u001b[39m` : level.toUpperCase();
  const head = `${time.toISOString()} ${shownLevel} [${escapeControls(name)}] ${escapeControls(message)}`;
  return (shown === '{}' ? head : `${head} ${shown}`) + stacks.map((stack) => `\n    ${indentedLines(stack)}`).join('');
}

function jsonLine({ time, level, name, ...event }: LogEvent): string {
  const { message, fields, stacks } = printableLine(event.message, event.fields);
  const [stack] = stacks;
  const line = { time: time.toISOString(), level, name, message, ...fields, ...(stack === undefined ? {} : { stack }) };
  return escapeControls(JSON.stringify(line));
}
