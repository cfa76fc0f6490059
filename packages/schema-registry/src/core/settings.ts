/** Compatibility levels and modes, of the registry and of subjects. A null subject is the registry. */
import { errors, notPermitted } from '../registry-error';
import { DEFAULT_LEVEL, DEFAULT_MODE, type Level, levelOf, type Mode, modeOf } from './levels';
import type { LogEntry } from './log-records';
import type { RegistryState } from './registry-state';

export type Change = <T>(work: () => Promise<T>) => Promise<T>;
export type Write = (entry: LogEntry) => Promise<void>;

export class Settings {
  constructor(
    private readonly state: RegistryState,
    private readonly change: Change,
    private readonly write: Write,
  ) {}

  /** Throws 40408 if the subject has none, unless the registry's counts. */
  level(subject: string | null, orGlobal: boolean): Level {
    const level = this.state.levelOf(subject);
    if (level !== undefined) return level;
    if (subject === null) return DEFAULT_LEVEL;
    if (!orGlobal) throw errors.subjectConfigMissing(subject);
    return this.state.effectiveLevel(subject);
  }

  async setLevel(subject: string | null, text: unknown): Promise<Level> {
    const level = levelOf(text);
    if (level === undefined) throw errors.invalidLevel();
    return await this.change(async () => {
      checkWritable(this.state, subject);
      await this.write({ kind: 'level', subject, level });
      return level;
    });
  }

  /** Returns the removed one; for the registry, its default. Throws 40401 if the subject has none. */
  async removeLevel(subject: string | null): Promise<Level> {
    return await this.change(async () => {
      checkWritable(this.state, subject);
      const level = this.state.levelOf(subject);
      if (level === undefined && subject !== null) throw errors.subjectMissing(subject);
      await this.write({ kind: 'level', subject, level: null });
      return subject === null ? DEFAULT_LEVEL : (level ?? DEFAULT_LEVEL);
    });
  }

  /** Throws 40409 if the subject has none, unless the registry's counts. */
  mode(subject: string | null, orGlobal: boolean): Mode {
    const mode = this.state.modeOf(subject);
    if (mode !== undefined) return mode;
    if (subject === null) return DEFAULT_MODE;
    if (!orGlobal) throw errors.subjectModeMissing(subject);
    return this.state.effectiveMode(subject);
  }

  /** @param force to mode IMPORT though there are schemas, whose ids imported ones may need */
  async setMode(subject: string | null, text: unknown, force: boolean): Promise<Mode> {
    const mode = modeOf(text);
    if (mode === undefined || (mode === 'READONLY_OVERRIDE' && subject !== null)) throw errors.invalidMode();
    return await this.change(async () => {
      const hasSchemas =
        subject === null ? this.state.totalVersions > 0 : this.state.versions(subject).some((one) => !one.deleted);
      if (mode === 'IMPORT' && hasSchemas && !force && this.state.modeOf(subject) !== mode)
        throw notPermitted('Cannot import since found existing subjects');
      await this.write({ kind: 'mode', subject, mode });
      return mode;
    });
  }

  async removeMode(subject: string): Promise<Mode> {
    return await this.change(async () => {
      const mode = this.state.modeOf(subject);
      if (mode === undefined) throw errors.subjectMissing(subject);
      await this.write({ kind: 'mode', subject, mode: null });
      return mode;
    });
  }
}

export function checkWritable(state: RegistryState, subject: string | null): void {
  const mode = state.effectiveMode(subject);
  if (mode === 'READONLY' || mode === 'READONLY_OVERRIDE')
    throw notPermitted(`Subject ${subject ?? 'null'} is in read-only mode`);
}
