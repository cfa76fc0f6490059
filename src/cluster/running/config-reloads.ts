/**
 * Restarts a connector instance when values from config providers expire. Its tasks restart only if their resolved
 * configs have changed. Source: connect-runtime §8.3.
 */
import type { ConnectorConfig } from '@millrace/sdk';
import { COMMON_KEYS } from '../../config/connector-config';
import { readKey } from '../../config/framework-key';
import { about } from '../../logging/line-subject';
import type { Logger } from '../../logging/logger';
import type { RequestQueue } from '../queue/request-queue';

export interface ConfigReloadsOptions {
  readonly queue: RequestQueue;
  readonly restart: (connector: string) => Promise<void>;
  readonly logger: Logger;
}

/** Collects the TTLs of a config's values; the shortest one counts. */
export class Lifetime {
  private shortestMs = Infinity;

  readonly limit = (ttlMs: number): void => {
    this.shortestMs = Math.min(this.shortestMs, ttlMs);
  };
  /** Null: no limit. */
  get ms(): number | null {
    return this.shortestMs === Infinity ? null : this.shortestMs;
  }
}

export class ConfigReloads {
  /** The next reload of each connector; an older one does nothing when it is due. */
  private readonly pending = new Map<string, object>();

  constructor(private readonly options: ConfigReloadsOptions) {}

  /** `config`: resolved. Replaces an earlier plan for the connector. */
  plan(connector: string, config: ConnectorConfig, { ms }: Lifetime): void {
    if (ms === null || readKey(COMMON_KEYS.configActionReload, config) === 'none') return;
    const { queue, restart, logger } = this.options;
    const reload = {};
    this.pending.set(connector, reload);
    logger.debug(`Connector ${connector} restarts in ${ms} ms, when values of its config expire`);
    queue
      .submit(async () => {
        if (this.pending.get(connector) !== reload) return;
        logger.info(`Restarting connector ${connector}: values of its config have expired`, about({ connector }));
        await restart(connector);
      }, ms)
      // Rejects when the worker stops.
      .catch((error: unknown) => logger.debug('A config reload was cancelled', { error }));
  }

  /** The instance was stopped; the next start plans again. */
  forget(connector: string): void {
    this.pending.delete(connector);
  }
}
