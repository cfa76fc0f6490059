/**
 * Which clusters have answered a client lately: others with the same settings need not ask again before they have
 * something to send. A worker starts hundreds of producers at once, and most of them are idle.
 */
import { monotonicNow } from '@millrace/sdk';
import { KafkaError } from '../errors';
import type { ClientConfig } from '../port';

/** A task whose cluster went away so soon before its start learns of it as one whose cluster goes away later. */
const FRESH_MS = 10_000;

export class ReachableClusters {
  private readonly answers = new Map<string, { readonly answer: Promise<void>; until: number }>();

  constructor(private readonly now: () => number = monotonicNow) {}

  /** `connect` is called unless that of a client with the same settings is in progress or has just succeeded. */
  async connected({ 'client.id': _, ...settings }: ClientConfig, connect: () => Promise<void>): Promise<void> {
    const key = JSON.stringify(Object.entries(settings).sort());
    const known = this.answers.get(key);
    if (known !== undefined && this.now() < known.until) {
      try {
        return await known.answer;
      } catch (error) {
        // That client was closed meanwhile, which says nothing about the cluster.
        if (!(error instanceof KafkaError) || error.code !== 'ABORTED') throw error;
        return await connect();
      }
    }
    const entry = { answer: connect(), until: Infinity };
    for (const [other, { until }] of this.answers) if (until <= this.now()) this.answers.delete(other);
    this.answers.set(key, entry);
    try {
      await entry.answer;
      entry.until = this.now() + FRESH_MS;
    } catch (error) {
      this.answers.delete(key);
      throw error;
    }
  }
}
