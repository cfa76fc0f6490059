/** Keeps a current session key in the config topic while this worker leads. Source: connect-runtime §2.7. */
import { messageOf, monotonicNow } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { ConfigStore } from '../../storage/config/config-store';
import { generateSessionKey, keyExpiry, type SessionKeySettings } from './session-key';

export interface SessionKeyKeeperOptions {
  readonly configs: ConfigStore;
  readonly settings: SessionKeySettings;
  /** True while this worker leads a group that signs its requests. */
  readonly isResponsible: () => boolean;
  readonly readTimeoutMs: number;
  readonly logger: Logger;
  readonly now?: () => number;
}

const RETRY_MS = 1_000;

export class SessionKeyKeeper {
  private readonly now: () => number;
  /** The last write failed: read the config topic to its end before writing another key. */
  private failed = false;
  private notBefore = -Infinity;

  constructor(private readonly options: SessionKeyKeeperOptions) {
    this.now = options.now ?? Date.now;
  }

  /** Writes a key when one is due. A failure is logged; a later tick retries. */
  async keep(): Promise<void> {
    const { configs, settings, readTimeoutMs, logger } = this.options;
    const wait = this.waitMs();
    if (wait === null || wait > 0) return;
    try {
      if (this.failed) {
        await configs.readToEnd(readTimeoutMs);
        this.failed = false;
        if (this.expiry() > this.now()) return;
      }
      logger.debug('Writing a new session key');
      await configs.putSessionKey(generateSessionKey(settings, this.now()));
    } catch (error) {
      this.failed = true;
      this.notBefore = monotonicNow() + RETRY_MS;
      logger.warn(`Cannot write the session key, retrying: ${messageOf(error)}`);
    }
  }

  /** Milliseconds until a key is due; 0 or less: now. Null: none. */
  waitMs(): number | null {
    if (!this.options.isResponsible()) return null;
    // A key's age is by the wall clock, since other workers compare it, too.
    const wait = Math.max(this.expiry() - this.now(), this.notBefore - monotonicNow());
    return wait === Infinity ? null : wait;
  }

  private expiry(): number {
    return keyExpiry(this.options.configs.snapshot().sessionKey, this.options.settings);
  }
}
