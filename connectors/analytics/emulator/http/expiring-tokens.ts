/** Opaque tokens with a life: bearer tokens of the login, identity tokens of queued ingestion. */
import { randomBytes } from 'node:crypto';

export class ExpiringTokens {
  private readonly expiries = new Map<string, number>();

  constructor(
    private readonly prefix: string,
    /** Milliseconds. */
    public lifetimeMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  issue(): string {
    for (const [token, expiry] of this.expiries) if (expiry < this.now()) this.expiries.delete(token);
    const token = `${this.prefix}-${randomBytes(24).toString('hex')}`;
    this.expiries.set(token, this.now() + this.lifetimeMs);
    return token;
  }

  isValid(token: string): boolean {
    return (this.expiries.get(token) ?? 0) >= this.now();
  }
}
