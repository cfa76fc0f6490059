/** The JVMs of a worker: nothing is loaded or started before a plugin in a jar is used. */
import type { JvmFigures, Jvms, JvmSettings, JvmState, JvmSupervisor } from '@millrace/java-host';
import type { LogLevels } from '../logging/log-levels';
import type { Logger } from '../logging/logger';
import { javaHost } from './java-host';
import { jvmLog } from './jvm-log';

export interface JvmSupervisionOptions {
  readonly settings: JvmSettings;
  readonly logger: Logger;
  readonly levels: LogLevels;
}

/** What other threads of the process reach JVMs by: plain data. Null: no plugin is in a jar. */
export type JvmChannel = string | null;

export class JvmSupervision {
  private supervisor: JvmSupervisor | null = null;

  constructor(private readonly options: JvmSupervisionOptions) {}

  /** For this thread. */
  jvms(): Jvms {
    return this.start().jvms;
  }

  /** For a thread whose registry has plugins in jars. */
  channel(): string {
    return this.start().channel;
  }

  /** Sentences for the health report. */
  problems(): string[] {
    return this.supervisor?.problems() ?? [];
  }

  /** For health reports and the console. */
  states(): readonly JvmState[] {
    return this.supervisor?.states() ?? [];
  }

  /** For metrics. */
  figures(): readonly JvmFigures[] {
    return this.supervisor?.figures() ?? [];
  }

  /**
   * Files of these folders have changed: what is started from now on gets other JVMs, and those that run end with what
   * runs in them.
   */
  retire(folders: ReadonlySet<string>): void {
    this.supervisor?.retire(folders);
  }

  /** Ends all JVMs. None can be started afterwards. */
  async close(): Promise<void> {
    await this.supervisor?.close();
  }

  private start(): JvmSupervisor {
    const host = this.supervisor === null ? javaHost() : null;
    if (host) {
      const { settings, logger, levels } = this.options;
      this.supervisor = new host.JvmSupervisor({ settings, log: jvmLog(logger, levels) });
    }
    // Its plugins were found by the same package.
    if (!this.supervisor) throw new Error('The package @millrace/java-host is not installed any more');
    return this.supervisor;
  }
}

/** Of a thread that was created with the channel. */
export function threadJvms(channel: JvmChannel): Jvms {
  const host = channel === null ? null : javaHost();
  if (host === null || channel === null) throw new Error('This thread has no plugins in jars');
  return host.connectJvms(channel);
}
