/**
 * Restarts a connector instance when values that configuration providers gave it have had their time. Tasks follow only
 * where the configuration means something else by then. Source: connect-runtime §8.3.
 */
import type { ConnectorConfig } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { RequestQueue } from '../queue/request-queue';

export interface ConfigReloadsOptions {
  readonly queue: RequestQueue;
  readonly restart: (connector: string) => Promise<void>;
  readonly logger: Logger;
}

/** Hears for how long values are good; the shortest of several counts. */
export class Lifetime {
  private shortestMs = Infinity;

  readonly limit = (ttlMs: number): void => {
    this.shortestMs = Math.min(this.shortestMs, ttlMs);
  };
  /** Null: for ever. */
  get ms(): number | null {
    return this.shortestMs === Infinity ? null : this.shortestMs;
  }
}

export class ConfigReloads {
  /** The reload that is to come; an older one of the same connector does nothing when it is due. */
  private readonly pending = new Map<string, object>();

  constructor(private readonly options: ConfigReloadsOptions) {}

  /** `config`: resolved. Replaces what was planned before for the connector. */
  plan(connector: string, config: ConnectorConfig, { ms }: Lifetime): void {
    if (ms === null || config['config.action.reload']?.trim().toLowerCase() === 'none') return;
    const { queue, restart, logger } = this.options;
    const reload = {};
    this.pending.set(connector, reload);
    logger.debug(`Connector ${connector} is restarted in ${ms} ms, when values of its configuration expire`);
    queue
      .submit(async () => {
        if (this.pending.get(connector) !== reload) return;
        logger.info(`Restarting connector ${connector}: values of its configuration have expired`);
        await restart(connector);
      }, ms)
      // Rejects when the worker stops.
      .catch((error: unknown) => logger.debug('A reload was given up', { error }));
  }

  /** The instance was stopped; whoever starts it again plans anew. */
  forget(connector: string): void {
    this.pending.delete(connector);
  }
}
