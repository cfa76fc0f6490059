/** The worker's logger for lines of JVMs, and its levels for Java's loggers. */
import type { JvmLine, JvmLog } from '@millrace/java-host';
import { hideProvidedValues } from '@millrace/texts/redaction';
import { quoting } from '../logging/line-subject';
import type { LogLevels } from '../logging/log-levels';
import type { Logger } from '../logging/logger';

/** Names come from plugins. Further ones share the logger of all JVMs. */
const MAX_LOGGERS = 5_000;
const NAME = /^[\w$][\w.$/-]{0,249}$/;
/** Names of the worker's own loggers, which lines of a plugin must not have. */
const OWN = /^(?:millrace(?:\..*)?|root)$/i;

export function jvmLog(logger: Logger, levels: LogLevels): JvmLog {
  const loggers = new Map<string, Logger>();
  const loggerOf = (name: string | null): Logger => {
    if (name === null || OWN.test(name) || !NAME.test(name)) return logger;
    const known = loggers.get(name);
    if (known || loggers.size >= MAX_LOGGERS) return known ?? logger;
    const created = logger.child({}, name);
    loggers.set(name, created);
    return created;
  };
  return {
    write: (line) => loggerOf(line.logger)[line.level](line.message, fieldsOf(line)),
    hide: (text, connectors) => hideProvidedValues(text, connectors, { words: true }),
    loggers: (names) => names.forEach(loggerOf),
    levels: () => {
      const { initial, rules } = levels.snapshot();
      return [['root', initial], ...rules.filter(([name]) => !OWN.test(name) || name === 'root')];
    },
    onLevel: (listener) => levels.onChange(listener),
  };
}

function fieldsOf({ connector, task, trace, folder, quotes }: JvmLine): Record<string, unknown> {
  return {
    ...(connector === null ? { folder } : { connector }),
    ...(task !== null && { task }),
    ...(trace !== null && { error: javaError(trace) }),
    ...(connector === null && quoting(quotes)),
  };
}

/** Its stack is Java's trace, which the log shows below the line. */
function javaError(trace: string): Error {
  const error = new Error(trace.split('\n', 1)[0]);
  error.stack = trace;
  return error;
}
