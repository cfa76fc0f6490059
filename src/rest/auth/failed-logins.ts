/**
 * Failed logins: a warning in the log, a count in the metrics, and a limit for passwords that a client may try.
 *
 * After a few failures of a client for a user, a wrong password is answered late, and while several answers wait,
 * others are refused without a look at the password: 429. Both are per client and user, and credentials that were valid
 * before are exempt, because all clients of a proxy have one address.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { monotonicNow, startTimer } from '@millrace/sdk';
import type { Credentials, RestMetrics } from '../../metrics/rest-metrics';
import { clientAddress } from '../http/client-address';
import type { RareWarnings } from '../http/rare-warnings';
import { tooManyLogins } from './access-error';

/** Failures without a delay. */
const FREE = 5;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 4_000;
/** Wrong passwords whose answers wait at the same time. */
const MAX_WAITING = 4;
/** Failures are forgotten after this time without another. */
const FORGET_MS = 15 * 60_000;
const MAX_CLIENTS = 1_000;
/** Of a client: users share them, so that names that do not exist take no memory. */
const BUCKETS = 64;
const MAX_VALID = 1_000;

const FAILED = { code: 'REST_LOGIN_FAILED' } as const;

interface Failures {
  count: number;
  at: number;
  waiting: number;
}

export interface PasswordAttempt {
  readonly remoteAddress: string | undefined;
  readonly user: string;
  readonly password: string;
  /** Only these are named in the log: others may be passwords in the wrong place. */
  readonly isKnown: boolean;
}

export class FailedLogins {
  /** Makes digests that cannot be computed outside of this process. */
  private readonly key = randomBytes(32);
  /** By client and bucket, the oldest client first. */
  private readonly clients = new Map<string, Map<number, Failures>>();
  /** Digests of credentials that were valid, with their client; the oldest first. */
  private readonly valid = new Set<string>();

  constructor(
    private readonly metrics: RestMetrics,
    private readonly warnings: RareWarnings,
    private readonly now: () => number = monotonicNow,
    private readonly wait: (ms: number) => Promise<void> = async (ms) =>
      await new Promise((resolve) => startTimer(resolve, ms).unref()),
  ) {}

  /** Resolves with the result of `check`, late if it is false. Rejects with AccessError 429. */
  async password(attempt: PasswordAttempt, check: () => boolean): Promise<boolean> {
    const { remoteAddress, user, password, isKnown } = attempt;
    const client = clientAddress(remoteAddress);
    const digest = this.digest([client, user, password]).toString('base64');
    if (this.valid.has(digest) && check()) return true;
    const bucket = this.digest([user]).readUInt8() % BUCKETS;
    const before = this.recent(client, bucket);
    if (before && before.waiting >= MAX_WAITING) {
      this.metrics.refusedLogins++;
      throw tooManyLogins(Math.ceil(MAX_DELAY_MS / 1000));
    }
    if (check()) {
      this.remember(digest);
      return true;
    }
    const who = isKnown ? `user ${JSON.stringify(user)}` : 'an unknown user';
    this.report('basic', remoteAddress, `a wrong password of ${who}`);
    await this.delay(before ?? this.first(client, bucket));
    return false;
  }

  /**
   * Counts and logs a failure. Of credentials that cannot be guessed this is all.
   * @param what contains nothing that a client sent
   */
  report(credentials: Credentials, remoteAddress: string | undefined, what: string): void {
    this.metrics.failedLogins[credentials]++;
    const client = clientAddress(remoteAddress) || 'an unknown address';
    this.warnings.report(
      client,
      (times) =>
        `REST: failed login from ${client}: ${what}` +
        (times > 1 ? `; ${times} failed logins from there since the last warning` : '') +
        ` (${FAILED.code})`,
    );
  }

  private async delay(failures: Failures): Promise<void> {
    failures.count++;
    failures.at = this.now();
    if (failures.count <= FREE) return;
    failures.waiting++;
    // The client may have disconnected: its place stays taken, or it could try the next password at once.
    await this.wait(Math.min(FIRST_DELAY_MS * 2 ** Math.min(failures.count - FREE - 1, 10), MAX_DELAY_MS));
    failures.waiting--;
  }

  private recent(client: string, bucket: number): Failures | null {
    const failures = this.clients.get(client)?.get(bucket);
    if (failures && failures.waiting === 0 && this.now() - failures.at >= FORGET_MS) failures.count = 0;
    return failures ?? null;
  }

  private first(client: string, bucket: number): Failures {
    const failures: Failures = { count: 0, at: 0, waiting: 0 };
    const buckets = this.clients.get(client) ?? new Map<number, Failures>();
    buckets.set(bucket, failures);
    this.clients.delete(client);
    this.clients.set(client, buckets);
    removeOldest(this.clients, MAX_CLIENTS);
    return failures;
  }

  private remember(digest: string): void {
    this.valid.add(digest);
    removeOldest(this.valid, MAX_VALID);
  }

  private digest(texts: readonly string[]): Buffer {
    return createHmac('sha256', this.key).update(JSON.stringify(texts)).digest();
  }
}

function removeOldest(all: Map<string, unknown> | Set<string>, max: number): void {
  const [oldest] = all.keys();
  if (all.size > max && oldest !== undefined) all.delete(oldest);
}
