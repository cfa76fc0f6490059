/**
 * Tasks and connectors, by name, that terminated a shared thread. Each gets a dedicated thread until its config changes
 * or the worker restarts.
 */
import { createHash } from 'node:crypto';

/** Beyond it the oldest entry is dropped, so that deleted connectors do not accumulate. */
const MAX_NAMES = 10_000;

/** Configs that may have caused it, in a fixed order. */
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

/** A hash, because the configs are resolved and contain secrets. */
function fingerprint(settings: Settings): string {
  const sorted = settings.map((config) => Object.entries(config).sort());
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
