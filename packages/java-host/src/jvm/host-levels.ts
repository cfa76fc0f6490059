import type { JvmLevel } from './jvm-log';

/**
 * Keeps the levels of a JVM's loggers like the worker's: there, a level is set for all loggers whose names begin with
 * a text, and replaces those that were set for some of them. In the JVM, the nearest name counts.
 */
export class HostLevels {
  private readonly names: Set<string>;

  constructor(
    levels: readonly (readonly [namespace: string, level: JvmLevel])[],
    private readonly send: (name: string, level: JvmLevel | null) => void,
  ) {
    this.names = new Set(levels.map(([name]) => name));
  }

  set(namespace: string, level: JvmLevel): void {
    for (const name of this.names) {
      if (name === 'root' || name === namespace) continue;
      if (namespace !== 'root' && !name.startsWith(namespace)) continue;
      this.names.delete(name);
      this.send(name, null);
    }
    this.names.add(namespace);
    this.send(namespace, level);
  }
}
