import { Writable } from 'node:stream';
import { LogLevels } from '../../logging/log-levels';
import type { Logger } from '../../logging/logger';
import { createLogger, loggerOptions } from '../../logging/winston-logger';
import type { CliIo } from '../io';

/**
 * Logs to stderr, because standard output is for answers. Warnings start once a client is connected, to explain
 * delays; before, they would repeat the error message of the failed connection.
 */
export class LogOnStderr {
  readonly logger: Logger;
  readonly levels: LogLevels;
  private isOpen: boolean;

  constructor({ stderr, env }: Pick<CliIo, 'stderr' | 'env'>, name: string) {
    const hasLevel = env.MILLRACE_LOG_LEVEL !== undefined;
    this.isOpen = hasLevel;
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        if (this.isOpen) stderr.write(String(chunk));
        done();
      },
    });
    const { levels, format } = loggerOptions(env);
    this.levels = hasLevel ? levels : new LogLevels('WARN');
    this.logger = createLogger({ levels: this.levels, format, stream, name });
  }

  open(): void {
    this.isOpen = true;
  }
}
