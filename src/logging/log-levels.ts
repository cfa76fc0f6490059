/**
 * Levels of all loggers by name, changeable at runtime. A logger becomes known when it is first used or when its level
 * is set. Source: connect-rest §1.23.
 */
import { LEVEL_NAMES, type LevelName } from '@millrace/texts/rest-names';
import type { LogLevel } from './format-line';

/**
 * Its level is set at startup only, by its own name: a caller that may change levels must not be able to hide changes.
 */
export const AUDIT = 'millrace.audit';

/** The parent of every logger; listed like one. */
export const ROOT = 'root';

/**
 * Java packages that correspond to our loggers, so that a level for `org.apache.kafka.connect` applies here, too.
 * Task loggers have the name of the task class.
 */
const JAVA_PACKAGES: Readonly<Record<string, string>> = {
  millrace: 'org.apache.kafka.connect',
  'millrace.herder': 'org.apache.kafka.connect.runtime.distributed',
  'millrace.kafka': 'org.apache.kafka.clients',
  'millrace.plugins': 'org.apache.kafka.connect.runtime.isolation',
  'millrace.rest': 'org.apache.kafka.connect.runtime.rest',
};
/** Java loggers that operators often set. A Java worker lists them once it has used them. */
const JAVA_CLASSES: Readonly<Record<string, string>> = {
  'org.apache.kafka.connect.runtime.AbstractHerder': 'millrace.herder',
  'org.apache.kafka.connect.runtime.distributed.DistributedHerder': 'millrace.herder',
  'org.apache.kafka.connect.runtime.isolation.Plugins': 'millrace.plugins',
  'org.apache.kafka.connect.runtime.rest.RestServer': 'millrace.rest',
  'org.apache.kafka.connect.runtime.AbstractWorkerSourceTask': 'millrace.tasks',
  'org.apache.kafka.connect.runtime.Worker': 'millrace.tasks',
  'org.apache.kafka.connect.runtime.WorkerConnector': 'millrace.herder',
  'org.apache.kafka.connect.runtime.WorkerSinkTask': 'millrace.tasks',
  'org.apache.kafka.connect.runtime.WorkerSourceTask': 'millrace.tasks',
  'org.apache.kafka.connect.runtime.WorkerTask': 'millrace.tasks',
};

export interface LoggerState {
  readonly level: LevelName;
  /** Milliseconds since the epoch; null: never changed. */
  readonly lastModified: number | null;
}

/** In the order of the changes; the last matching rule wins. */
export type LevelRules = readonly (readonly [namespace: string, level: LevelName])[];

/** Lines up to this index of `LEVEL_NAMES` are written. Live: it follows changes of the level. */
export interface Threshold {
  readonly severity: number;
}

interface Known {
  severity: number;
  lastModified: number | null;
}

/** Severity of a line, to compare with a threshold. */
export const SEVERITY: Readonly<Record<LogLevel, number>> = {
  error: LEVEL_NAMES.indexOf('ERROR'),
  warn: LEVEL_NAMES.indexOf('WARN'),
  info: LEVEL_NAMES.indexOf('INFO'),
  debug: LEVEL_NAMES.indexOf('DEBUG'),
  trace: LEVEL_NAMES.indexOf('TRACE'),
};

function covers(namespace: string, name: string): boolean {
  if (namespace === ROOT || name.startsWith(namespace)) return true;
  if (Object.hasOwn(JAVA_PACKAGES, name) && JAVA_PACKAGES[name]?.startsWith(namespace)) return true;
  return Object.entries(JAVA_CLASSES).some(([java, ours]) => ours === name && java.startsWith(namespace));
}

export class LogLevels {
  private readonly known = new Map<string, Known>();
  private readonly rules = new Map<string, LevelName>();
  private readonly listeners = new Set<(namespace: string, level: LevelName) => void>();

  /** `initial` is the level of loggers that no rule covers. */
  constructor(
    private readonly initial: LevelName = 'INFO',
    rules: LevelRules = [],
  ) {
    this.threshold(ROOT);
    for (const [namespace, level] of rules) this.set(namespace, level, null);
  }

  /** The logger's threshold. Lists the logger from now on. */
  threshold(name: string): Threshold {
    return this.stateFor(name);
  }

  /** Those that can be set: sorted by name, without the audit log and loggers that are off. */
  list(): [name: string, state: LoggerState][] {
    return [...this.known]
      .filter(([name, { severity }]) => severity > 0 && name !== AUDIT)
      .map(([name, known]): [string, LoggerState] => [name, stateOf(known)])
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /**
   * `root` is case-insensitive. A Java class has the state of the corresponding logger. Null for an unknown logger.
   */
  find(name: string): LoggerState | null {
    const wanted = canonical(name);
    const counterpart = Object.hasOwn(JAVA_CLASSES, wanted) ? (JAVA_CLASSES[wanted] as string) : wanted;
    const known = this.known.get(wanted) ?? this.known.get(counterpart);
    return known ? stateOf(known) : null;
  }

  /**
   * Sets the level of the namespace and of all loggers whose names start with it. Returns those that changed, sorted.
   */
  set(namespace: string, level: LevelName, now: number | null = Date.now()): string[] {
    const wanted = canonical(namespace);
    if (wanted === AUDIT && now !== null) return [];
    this.stateFor(wanted);
    // Appended, because the last rule wins. Rules that it covers are obsolete.
    for (const earlier of [...this.rules.keys()]) {
      if (wanted === ROOT || earlier.startsWith(wanted)) this.rules.delete(earlier);
    }
    this.rules.set(wanted, level);
    const severity = LEVEL_NAMES.indexOf(level);
    const changed: string[] = [];
    for (const [name, known] of this.known) {
      if (known.severity === severity || !covers(wanted, name)) continue;
      if (name === AUDIT && wanted !== AUDIT) continue;
      known.severity = severity;
      known.lastModified = now;
      if (wanted === ROOT || name.startsWith(wanted)) changed.push(name);
    }
    for (const listener of this.listeners) listener(wanted, level);
    return changed.sort();
  }

  /** Plain data, for the constructor in another thread. */
  snapshot(): { readonly initial: LevelName; readonly rules: LevelRules } {
    return { initial: this.initial, rules: [...this.rules] };
  }

  /** Called after every change. Returns a function that removes the listener. */
  onChange(listener: (namespace: string, level: LevelName) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private stateFor(name: string): Known {
    let known = this.known.get(name);
    if (!known) {
      const isAudit = name === AUDIT;
      const rule = [...this.rules].findLast(([namespace]) => (isAudit ? namespace === AUDIT : covers(namespace, name)));
      const initial = isAudit ? 'INFO' : this.initial;
      known = { severity: LEVEL_NAMES.indexOf(rule?.[1] ?? initial), lastModified: null };
      this.known.set(name, known);
    }
    return known;
  }
}

function canonical(name: string): string {
  return name.toLowerCase() === ROOT ? ROOT : name;
}

function stateOf({ severity, lastModified }: Known): LoggerState {
  return { level: LEVEL_NAMES[severity] as LevelName, lastModified };
}
