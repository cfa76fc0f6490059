/** A logger for a command: short lines on stderr, redacted. Warnings and errors, unless MILLRACE_LOG_LEVEL is set. */
import type { LogLevel } from '../../logging/format-line';
import { levelName, LEVEL_NAMES, SEVERITY } from '../../logging/log-levels';
import type { Logger } from '../../logging/logger';
import type { CliIo } from '../io';
import { shownLine } from './shown-line';

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
