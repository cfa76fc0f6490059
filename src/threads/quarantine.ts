/**
 * What took a shared thread down, tasks and connectors by name: each gets a thread of its own, until its configuration
 * changes or the worker is started again.
 */
import { createHash } from 'node:crypto';

/** Beyond it the oldest is forgotten: the list cannot grow with the number of connectors that ever were. */
const MAX_NAMES = 10_000;

/** All that may have made it do so, in an order of the caller's. */
type Settings = readonly Readonly<Record<string, unknown>>[];

export class Quarantine {
  private readonly settings = new Map<string, string>();

  add(name: string, settings: Settings): void {
    this.settings.set(name, fingerprint(settings));
    const [oldest] = this.settings.keys();
    if (this.settings.size > MAX_NAMES && oldest !== undefined) this.settings.delete(oldest);
  }

  has(name: string, settings: Settings): boolean {
    const known = this.settings.get(name);
    if (known === undefined) return false;
    if (known === fingerprint(settings)) return true;
    this.settings.delete(name);
    return false;
  }
}

/** Configurations are resolved, secrets included: none is kept. */
function fingerprint(settings: Settings): string {
  const sorted = settings.map((one) => Object.entries(one).sort());
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
