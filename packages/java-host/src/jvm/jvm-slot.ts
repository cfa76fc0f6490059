/** One JVM of the supervisor: how many sessions it has, and when it ends. */
import { startTimer } from '@millrace/sdk';
import type { EndReason } from './jvm-end';
import { JvmError, type JvmFailure } from './jvm-errors';
import type { JvmProcess, JvmProcessOptions } from './jvm-process';
import type { JvmVitals } from './jvm-vitals';
import type { JvmKey } from './jvms';

/** For sessions that are open when it has to end. */
export const GRACE_MS = 4_000;
/** For a session to be opened in a JVM that is ready. */
const HOLD_MS = 60_000;
/** Whose configs the JVM was given, the newest ones. */
const MOST_CONNECTORS = 1_000;

export interface JvmSlotOptions {
  readonly number: number;
  /** Of its key. */
  readonly id: string;
  readonly key: JvmKey;
  readonly idleMs: number;
  watch(process: JvmProcess, onSilent: () => void): JvmVitals;
  start(events: Pick<JvmProcessOptions, 'onSessions' | 'onHung' | 'connectors'>): Promise<JvmProcess>;
  /** It gets no new sessions from now on. */
  onLeaving(slot: JvmSlot): void;
  onEnded(slot: JvmSlot, failure: JvmFailure): void;
}

export class JvmSlot {
  sessions = 0;
  /** Names of threads that do not end; null: none. */
  hung: readonly string[] | null = null;
  process: JvmProcess | null = null;
  /** Null: it is not ready. */
  vitals: JvmVitals | null = null;
  isReady = false;
  /** It ends with its last session. */
  private isLeaving = false;
  /** Resolves when it can be used. Rejects with JvmError. */
  readonly ready: Promise<JvmProcess>;
  private connectors: readonly string[] = [];
  private readonly holds = new Map<number, NodeJS.Timeout | undefined>();
  private lastHold = 0;
  private idle: NodeJS.Timeout | undefined;
  private ending: EndReason | null = null;

  constructor(readonly options: JvmSlotOptions) {
    this.ready = this.start();
    // Whoever needs it waits for it, too.
    this.ready.catch(() => undefined);
  }

  /** Nobody wanted its end. */
  get isFault(): boolean {
    return this.ending === null || this.ending === 'silent';
  }

  /** It is about to have the connector's config. */
  serves(connector: string | null): void {
    if (connector === null || this.connectors.at(-1) === connector) return;
    this.connectors = [...this.connectors.filter((name) => name !== connector), connector].slice(-MOST_CONNECTORS);
  }

  /** Somebody is about to open a session: it stays until `release`. */
  hold(): number {
    const hold = ++this.lastHold;
    clearTimeout(this.idle);
    this.holds.set(hold, undefined);
    return hold;
  }

  /** A thread may end before it has opened its session. */
  releaseLater(hold: number): void {
    if (this.holds.has(hold)) this.holds.set(hold, startTimer(() => void this.release(hold), HOLD_MS).unref());
  }

  async release(hold: number): Promise<void> {
    clearTimeout(this.holds.get(hold));
    // The JVM counts a session before it answers that it is open, but tells the count over another connection: that
    // has arrived when there is an answer from there.
    if (this.isReady) await this.process?.ask('memory');
    this.holds.delete(hold);
    this.touch();
  }

  /** Ends it once nothing uses it. */
  private touch(): void {
    clearTimeout(this.idle);
    if (this.sessions > 0 || this.holds.size > 0 || !this.isReady || this.ending) return;
    if (this.isLeaving) return void this.end('idle', GRACE_MS);
    this.idle = startTimer(() => void this.end('idle', GRACE_MS), this.options.idleMs).unref();
  }

  /** It gets no new sessions, and ends with its last one. */
  retire(): void {
    this.isLeaving = true;
    this.options.onLeaving(this);
    this.touch();
  }

  /** Resolves when it has ended. */
  async end(reason: EndReason, graceMs: number): Promise<void> {
    this.ending ??= reason;
    clearTimeout(this.idle);
    this.options.onLeaving(this);
    // One that is being started ends as soon as it exists.
    if (this.process) await this.process.stop(reason, this.isReady ? graceMs : 0);
    else await this.ready.catch(() => undefined);
  }

  private async start(): Promise<JvmProcess> {
    const { onEnded, onLeaving } = this.options;
    try {
      const process = await this.options.start({
        connectors: () => this.connectors,
        onSessions: (count) => {
          this.sessions = count;
          this.touch();
        },
        onHung: (names) => {
          this.hung = [...(this.hung ?? []), ...names].slice(0, 20);
          this.retire();
        },
      });
      this.process = process;
      void process.ended.then((failure) => {
        clearTimeout(this.idle);
        for (const expiry of this.holds.values()) clearTimeout(expiry);
        this.vitals?.close();
        onLeaving(this);
        onEnded(this, failure);
      });
      if (this.ending) await process.stop(this.ending, 0);
      await process.ready();
      this.isReady = true;
      this.vitals = this.options.watch(process, () => void this.end('silent', 0));
      this.touch();
      return process;
    } catch (error) {
      onLeaving(this);
      if (!this.process && error instanceof JvmError) onEnded(this, error.failure);
      throw error;
    }
  }
}
