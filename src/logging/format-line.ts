/** Turns one log event into one line (text) or one JSON document. Pure. Stack traces follow a text line indented. */
import { isError, redact, redactText } from './redact';

export type LogFormat = 'text' | 'json';
export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace';

export interface LogEvent {
  readonly time: Date;
  readonly level: LogLevel;
  readonly name: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** @example 2026-01-02T03:04:05.678Z INFO [herder] Joined the group {"generation":3} */
export function formatLine(event: LogEvent, format: LogFormat): string {
  return format === 'json' ? jsonLine(event) : textLine(event);
}

function textLine({ time, level, name, message, fields }: LogEvent): string {
  const shown = JSON.stringify(redact(fields));
  const head = `${time.toISOString()} ${level.toUpperCase()} [${name}] ${redactText(message)}`;
  return (
    (shown === '{}' ? head : `${head} ${shown}`) +
    stacks(fields)
      .map((stack) => `\n    ${stack.replaceAll('\n', '\n    ')}`)
      .join('')
  );
}

function jsonLine({ time, level, name, message, fields }: LogEvent): string {
  const [stack] = stacks(fields);
  return JSON.stringify({
    time: time.toISOString(),
    level,
    name,
    message: redactText(message),
    ...(redact(fields) as object),
    ...(stack === undefined ? {} : { stack }),
  });
}

function stacks(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.values(fields).flatMap((field) => (isError(field) && field.stack ? [redactText(field.stack)] : []));
}
