/**
 * The levels of all loggers by name, changeable while the worker runs. A logger is known from the moment somebody asks
 * for it or names it in a change. Source: connect-rest §1.23.
 */
import type { LogLevel } from './format-line';

export const LEVEL_NAMES = ['OFF', 'FATAL', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'] as const;
export type LevelName = (typeof LEVEL_NAMES)[number];

/** Of every logger; itself listed like one. */
export const ROOT = 'root';

/**
 * Java's names for what our loggers speak of, so that a level for `org.apache.kafka.connect` means the worker here,
 * too. Tasks carry the name of their class and need none.
 */
const JAVA_PACKAGES: Readonly<Record<string, string>> = {
  millrace: 'org.apache.kafka.connect',
  'millrace.herder': 'org.apache.kafka.connect.runtime.distributed',
  'millrace.kafka': 'org.apache.kafka.clients',
  'millrace.plugins': 'org.apache.kafka.connect.runtime.isolation',
  'millrace.rest': 'org.apache.kafka.connect.runtime.rest',
};
/**
 * The classes of Java's that people look at and turn up, which a worker there knows from the moment it has used them.
 */
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

/** Changes in the order in which they were made; the last one that fits a name wins. */
export type LevelRules = readonly (readonly [namespace: string, level: LevelName])[];

/** Lines up to this index of `LEVEL_NAMES` are written. Live: a change of the level is seen here at once. */
export interface Threshold {
  readonly severity: number;
}

interface Known {
  severity: number;
  lastModified: number | null;
}

/** Case-insensitive, blanks around it do not matter; null for anything else. */
export function levelName(text: string): LevelName | null {
  const wanted = text.trim().toUpperCase();
  return LEVEL_NAMES.find((name) => name === wanted) ?? null;
}

/** How severe a line of ours is, to be compared with a threshold. */
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

  /** `initial` is the level of what no rule covers. */
  constructor(
    private readonly initial: LevelName = 'INFO',
    rules: LevelRules = [],
  ) {
    this.threshold(ROOT);
    for (const [namespace, level] of rules) this.set(namespace, level, null);
  }

  /** A logger's own threshold; the logger is listed from now on. */
  threshold(name: string): Threshold {
    return this.knownAs(name);
  }

  /** Names in alphabetical order, those that are off left out. */
  list(): [name: string, state: LoggerState][] {
    return [...this.known]
      .filter(([, { severity }]) => severity > 0)
      .map(([name, known]): [string, LoggerState] => [name, stateOf(known)])
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /**
   * `root` in any case; a class of Java's has the state of the logger that speaks for it. Null for a logger that is not
   * known.
   */
  find(name: string): LoggerState | null {
    const wanted = canonical(name);
    const counterpart = Object.hasOwn(JAVA_CLASSES, wanted) ? (JAVA_CLASSES[wanted] as string) : wanted;
    const known = this.known.get(wanted) ?? this.known.get(counterpart);
    return known ? stateOf(known) : null;
  }

  /**
   * Sets the level of the namespace and of everything that begins with it. Answers those that changed and begin with
   * it, in alphabetical order.
   */
  set(namespace: string, level: LevelName, now: number | null = Date.now()): string[] {
    const wanted = canonical(namespace);
    this.knownAs(wanted);
    // Behind the others, since the last one wins; those it covers have had their day.
    for (const earlier of [...this.rules.keys()]) {
      if (wanted === ROOT || earlier.startsWith(wanted)) this.rules.delete(earlier);
    }
    this.rules.set(wanted, level);
    const severity = LEVEL_NAMES.indexOf(level);
    const changed: string[] = [];
    for (const [name, known] of this.known) {
      if (known.severity === severity || !covers(wanted, name)) continue;
      known.severity = severity;
      known.lastModified = now;
      if (wanted === ROOT || name.startsWith(wanted)) changed.push(name);
    }
    for (const listener of this.listeners) listener(wanted, level);
    return changed.sort();
  }

  /** What another thread needs to know to give the same answers; plain data. */
  snapshot(): { readonly initial: LevelName; readonly rules: LevelRules } {
    return { initial: this.initial, rules: [...this.rules] };
  }

  /** Called after every change. Answers what ends it. */
  onChange(listener: (namespace: string, level: LevelName) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private knownAs(name: string): Known {
    let known = this.known.get(name);
    if (!known) {
      const rule = [...this.rules].findLast(([namespace]) => covers(namespace, name));
      known = { severity: LEVEL_NAMES.indexOf(rule?.[1] ?? this.initial), lastModified: null };
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
