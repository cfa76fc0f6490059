/**
 * Tasks that took a shared thread down: each gets a thread of its own, until its configuration changes or the worker
 * is started again.
 */
import { createHash } from 'node:crypto';
import type { TaskSpec } from './host';
import { taskName } from './task-id';

/** Beyond it the oldest is forgotten: the list cannot grow with the number of connectors that ever were. */
const MAX_TASKS = 10_000;

export class Quarantine {
  private readonly configs = new Map<string, string>();

  add(spec: TaskSpec): void {
    this.configs.set(taskName(spec.id), fingerprint(spec));
    const [oldest] = this.configs.keys();
    if (this.configs.size > MAX_TASKS && oldest !== undefined) this.configs.delete(oldest);
  }

  has(spec: TaskSpec): boolean {
    const name = taskName(spec.id);
    const known = this.configs.get(name);
    if (known === undefined) return false;
    if (known === fingerprint(spec)) return true;
    this.configs.delete(name);
    return false;
  }
}

/** Configurations are resolved, secrets included: none is kept. */
function fingerprint({ connectorClass, connectorConfig, taskConfig }: TaskSpec): string {
  const sorted = [connectorConfig, taskConfig].map((config) => Object.entries(config).sort());
  return createHash('sha256')
    .update(JSON.stringify([connectorClass, sorted]))
    .digest('hex');
}
