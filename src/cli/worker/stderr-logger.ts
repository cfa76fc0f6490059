/** A logger for a command: short lines on stderr, redacted. Warnings and errors, unless MILLRACE_LOG_LEVEL is set. */
import type { CliIo } from '@millrace/cli';
import { printableLines } from '@millrace/cli/terminal';
import { redactText, TEXT_LIMIT } from '@millrace/texts/redaction';
import { LEVEL_NAMES, levelName } from '@millrace/texts/rest-names';
import type { LogLevel } from '../../logging/format-line';
import { SEVERITY } from '../../logging/log-levels';
import type { Logger } from '../../logging/logger';

export function stderrLogger({ stderr, env }: Pick<CliIo, 'stderr' | 'env'>): Logger {
  const threshold = LEVEL_NAMES.indexOf(levelName(env.MILLRACE_LOG_LEVEL ?? '') ?? 'WARN');
  const at =
    (level: LogLevel) =>
    (message: string): void => {
      if (SEVERITY[level] <= threshold) stderr.write(shownLine(`${level.toUpperCase()} ${message}`));
    };
  const logger: Logger = {
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    trace: at('trace'),
    child: () => logger,
  };
  return logger;
}

/** Text of plugins and servers for a terminal: without secrets of the config and control characters. Bounded. */
export function shownLine(text: string): string {
  return `${printableLines(redactText(text, TEXT_LIMIT, null)).trimEnd()}\n`;
}

/** For commands that run plugins in their own process: what those print must not mix with the answer on stdout. */
export function consoleOnStderr(): void {
  const print = console.error.bind(console);
  console.log = console.info = console.debug = print;
}
