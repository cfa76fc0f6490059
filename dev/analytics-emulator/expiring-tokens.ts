/**
 * Expiring tokens: bearer tokens of the login and identity tokens of queued ingestion. They are signed, so they need no
 * storage.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export class ExpiringTokens {
  constructor(
    private readonly prefix: string,
    /** Milliseconds. */
    public lifetimeMs: number,
    private readonly key: string,
    private readonly now: () => number = Date.now,
  ) {}

  issue(): string {
    const body = `${this.prefix}-${this.now() + this.lifetimeMs}-${randomBytes(8).toString('hex')}`;
    return `${body}-${this.signature(body).toString('hex')}`;
  }

  isValid(token: string): boolean {
    const [prefix, expiry, nonce, signature = ''] = token.split('-');
    const given = Buffer.from(signature, 'hex');
    const own = this.signature(`${prefix}-${expiry}-${nonce}`);
    if (prefix !== this.prefix || given.length !== own.length || !timingSafeEqual(given, own)) return false;
    return Number(expiry) >= this.now();
  }

  private signature(body: string): Buffer {
    return createHmac('sha256', this.key).update(body).digest();
  }
}
