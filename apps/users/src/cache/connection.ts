/** Keeps one client connected, for as long as it takes, and knows whether it answers. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientOfflineError } from '@redis/client';
import type { Log } from '../logging/log';
import type { CacheSettings } from '../settings/settings';
import { backoffMs } from './backoff';
import { openCluster, openStandalone, type CacheClient } from './client';
import { withDeadline } from './deadline';
import { describeFailure, isForbidden, isNoCluster, looksLikeWrongTls } from './failure';
import { OutageLog } from './outage-log';
import { NOBODYS_KEY } from './user-key';

const PING_EVERY_MS = 1_000;
/** An answer older than this says nothing any more. */
const FRESH_MS = 5_000;
/** The library's own attempts to reconnect get this long; then the whole client is made anew, from the endpoint on. */
const GIVE_UP_MS = 10_000;

/** The cache did not answer within the time given for the start, or never will. */
export class NotConnectedError extends Error {
  constructor(cause: unknown) {
    const hint = looksLikeWrongTls(cause) ? ' [does one side speak TLS and the other plain text? see CACHE_TLS]' : '';
    super(`failed to connect to the cache: ${describeFailure(cause)}${hint}`, { cause });
    this.name = 'NotConnectedError';
  }
}

export class CacheConnection {
  private client: CacheClient | null = null;
  private mode: CacheSettings['mode'];
  private answeredAt = -Infinity;
  /** Since when no primary has answered. */
  private silentSince = Date.now();
  private hasAnswered = false;
  /** Every request would be refused for want of a right. */
  private isRefused = false;
  private lastFailure: unknown = new Error('nothing has answered yet');
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

  /** Whether every primary answered within the last seconds, and users may be read. */
  get isReady(): boolean {
    return this.client !== null && !this.isRefused && Date.now() - this.answeredAt <= FRESH_MS;
  }

  /** The client to ask. @throws the last failure when there is none at the moment. */
  current(): CacheClient {
    if (!this.client) throw this.lastFailure;
    return this.client;
  }

  /**
   * Begins to connect. Resolves when the cache has answered, or at once where the start-up time is 0.
   * Rejects with NotConnectedError when the time is up, and at once when no waiting would help.
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

  /** Until `stop`. Rejects during the start when the settings ask for a cluster and there is none. */
  private async stayConnected(): Promise<void> {
    let failures = 0;
    while (!this.stopping.signal.aborted) {
      try {
        this.client ??= await this.open();
        failures = (await this.check(this.client)) ? 0 : failures;
      } catch (error) {
        if (this.isHopeless(error)) throw new NotConnectedError(error);
        this.failed(error);
        failures++;
      }
      const pause = this.client ? PING_EVERY_MS : backoffMs(failures);
      await sleep(pause, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  private isHopeless(error: unknown): boolean {
    return this.mode === 'cluster' && isNoCluster(error) && !this.hasAnswered && this.settings.startupTimeoutMs > 0;
  }

  private async open(): Promise<CacheClient> {
    const hear = (error: unknown): void => this.failed(error);
    this.silentSince = Date.now();
    if (this.mode === 'standalone') return await openStandalone(this.settings, hear);
    try {
      return await openCluster(this.settings, hear);
    } catch (error) {
      if (this.mode !== 'auto' || !isNoCluster(error)) throw error;
      this.log.info('the server is not part of a cluster, going on with a single connection');
      this.mode = 'standalone';
      return await openStandalone(this.settings, hear);
    }
  }

  private async check(client: CacheClient): Promise<boolean> {
    const { answers, failures } = await client.ping(this.settings.timeoutMs);
    if (this.stopping.signal.aborted) return false;
    const now = Date.now();
    if (answers > 0) this.silentSince = now;
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
    // That a client is offline follows from an error that it has told before.
    for (const failure of failures) if (!(failure instanceof ClientOfflineError)) this.failed(failure);
    if (now - this.silentSince >= GIVE_UP_MS) this.dropClient();
    return false;
  }

  /**
   * A ping needs no more than the right to ping. Rights that are given back count at once, on connections that are
   * open.
   */
  private async checkRights(client: CacheClient): Promise<void> {
    const refusal = await withDeadline(client.read(NOBODYS_KEY), this.settings.timeoutMs).then(
      () => null,
      (error: unknown) => error,
    );
    const isRefused = isForbidden(refusal);
    if (isRefused && !this.isRefused)
      this.log.error({ cause: describeFailure(refusal) }, 'the cache refuses to read users');
    if (this.isRefused && refusal === null) this.log.info('the cache lets users be read again');
    // Another failure says nothing about rights.
    if (isRefused || refusal === null) this.isRefused = isRefused;
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
