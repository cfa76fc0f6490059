import type { Logger } from '../logger';

type Level = 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** Collects log lines: `lines` has e.g. `warn the text`. */
export class MemoryLogger implements Logger {
  readonly lines: string[] = [];
  readonly error = this.at('error');
  readonly warn = this.at('warn');
  readonly info = this.at('info');
  readonly debug = this.at('debug');
  readonly trace = this.at('trace');

  private at(level: Level): (message: string) => void {
    return (message) => void this.lines.push(`${level} ${message}`);
  }
}
