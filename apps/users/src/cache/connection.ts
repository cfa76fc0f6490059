/** Keeps a client connected, with unlimited retries, and checks whether the cache responds. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientOfflineError } from '@redis/client';
import type { Log } from '../logging/log';
import type { CacheSettings } from '../settings/settings';
import { backoffMs } from './backoff';
import { openCluster, openStandalone, type CacheClient } from './client';
import { withDeadline } from './deadline';
import { describeFailure, isForbidden, isNotCluster, looksLikeWrongTls } from './failure';
import { OutageLog } from './outage-log';
import { PROBE_KEY } from './user-key';

const PING_EVERY_MS = 1_000;
/** The program is not ready if the last response is older. */
const FRESH_MS = 5_000;
/** The library's own reconnects get this long. Then the client is created again, starting from the endpoint. */
const RECREATE_AFTER_MS = 10_000;

/** The cache did not respond within the start-up timeout, or retrying is of no use. */
export class NotConnectedError extends Error {
  constructor(cause: unknown) {
    const hint = looksLikeWrongTls(cause) ? ' [one side may use TLS and the other plain text: check CACHE_TLS]' : '';
    super(`failed to connect to the cache: ${describeFailure(cause)}${hint}`, { cause });
    this.name = 'NotConnectedError';
  }
}

export class CacheConnection {
  private client: CacheClient | null = null;
  private mode: CacheSettings['mode'];
  private answeredAt = -Infinity;
  /** Start of the time in which no primary responded. */
  private unansweredSince = performance.now();
  private hasAnswered = false;
  /** The cache denies reading users, so every request would fail. */
  private isDenied = false;
  private lastFailure: unknown = new Error('no response yet');
  private readonly stopping = new AbortController();
  private readonly outage: OutageLog;
  private readonly answers = new EventTarget();
  private loop: Promise<void> | null = null;

  constructor(
    private readonly settings: CacheSettings,
    private readonly log: Log,
  ) {
    this.mode = settings.mode;
    this.outage = new OutageLog(log);
  }

  /** Whether every primary responded in the last seconds and allows reading users. */
  get isReady(): boolean {
    return this.client !== null && !this.isDenied && performance.now() - this.answeredAt <= FRESH_MS;
  }

  /** The connected client. @throws the last failure if there is none. */
  current(): CacheClient {
    if (!this.client) throw this.lastFailure;
    return this.client;
  }

  /**
   * Starts to connect. Resolves when the cache responds, or at once if the start-up timeout is 0.
   * Rejects with NotConnectedError when the timeout expires, or at once if retrying is of no use.
   */
  async start(): Promise<void> {
    const { startupTimeoutMs } = this.settings;
    const answered = once(this.answers, 'answer', { signal: this.stopping.signal });
    answered.catch(() => undefined);
    this.loop = this.stayConnected();
    if (startupTimeoutMs === 0) return;
    const timeUp = sleep(startupTimeoutMs, undefined, { signal: this.stopping.signal }).then(() => {
      throw new NotConnectedError(this.lastFailure);
    });
    timeUp.catch(() => undefined);
    try {
      await Promise.race([answered, timeUp, this.loop]);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.dropClient();
    await this.loop?.catch(() => undefined);
    this.dropClient();
  }

  /** Runs until `stop`. Rejects during the start if the settings require a cluster and the server is not in one. */
  private async stayConnected(): Promise<void> {
    let failures = 0;
    while (!this.stopping.signal.aborted) {
      try {
        this.client ??= await this.open();
        failures = (await this.check(this.client)) ? 0 : failures;
      } catch (error) {
        if (this.isPermanent(error)) throw new NotConnectedError(error);
        this.failed(error);
        failures++;
      }
      const pause = this.client ? PING_EVERY_MS : backoffMs(failures);
      await sleep(pause, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  private isPermanent(error: unknown): boolean {
    return this.mode === 'cluster' && isNotCluster(error) && !this.hasAnswered && this.settings.startupTimeoutMs > 0;
  }

  private async open(): Promise<CacheClient> {
    const onError = (error: unknown): void => this.failed(error);
    this.unansweredSince = performance.now();
    if (this.mode === 'standalone') return await openStandalone(this.settings, onError);
    try {
      return await openCluster(this.settings, onError);
    } catch (error) {
      if (this.mode !== 'auto' || !isNotCluster(error)) throw error;
      this.log.info('the server is not part of a cluster, using a single connection');
      this.mode = 'standalone';
      return await openStandalone(this.settings, onError);
    }
  }

  private async check(client: CacheClient): Promise<boolean> {
    const { answers, failures } = await client.ping(this.settings.timeoutMs);
    if (this.stopping.signal.aborted) return false;
    const now = performance.now();
    if (answers > 0) this.unansweredSince = now;
    if (answers > 0 && failures.length === 0) {
      await this.checkRights(client);
      this.answeredAt = now;
      if (!this.hasAnswered) this.log.info({ mode: client.mode, primaries: answers }, 'connected to the cache');
      this.hasAnswered = true;
      this.outage.recovered();
      this.answers.dispatchEvent(new Event('answer'));
      return true;
    }
    this.answeredAt = -Infinity;
    // ClientOfflineError only follows an error that was already reported.
    for (const failure of failures) if (!(failure instanceof ClientOfflineError)) this.failed(failure);
    if (now - this.unansweredSince >= RECREATE_AFTER_MS) this.dropClient();
    return false;
  }

  /**
   * Reads a key, because a ping does not show whether the rights suffice. Restored rights take effect at once, on open
   * connections.
   */
  private async checkRights(client: CacheClient): Promise<void> {
    const failure = await withDeadline(client.read(PROBE_KEY), this.settings.timeoutMs).then(
      () => null,
      (error: unknown) => error,
    );
    const isDenied = isForbidden(failure);
    if (isDenied && !this.isDenied)
      this.log.error({ cause: describeFailure(failure) }, 'the cache denies reading users');
    if (this.isDenied && failure === null) this.log.info('the cache allows reading users again');
    // Other failures do not depend on rights.
    if (isDenied || failure === null) this.isDenied = isDenied;
  }

  private failed(error: unknown): void {
    if (this.stopping.signal.aborted) return;
    this.lastFailure = error;
    this.outage.failed(error);
  }

  private dropClient(): void {
    this.client?.destroy();
    this.client = null;
  }
}
