/** Tokens of an authorization server, by the client credentials grant. */
import { BodyTooLarge, ConfigError, messageOf, monotonicNow, RetriableError } from '@millrace/sdk';
import type { OAuthClient } from '../config/credentials';
import { parseAnswer } from './answer';
import type { Exchange } from './exchange';
import { quoted } from './quoted';

/** A token has a few KB. */
const MOST_BYTES = 256 * 1024;

export class TokenSource {
  private current: { readonly token: string; readonly until: number } | null = null;
  private pending: Promise<string> | null = null;

  constructor(
    private readonly client: OAuthClient,
    private readonly exchange: Exchange,
  ) {}

  /** Rejects with RetriableError while the server is away, and with ConfigError if it refuses the client. */
  async token(): Promise<string> {
    if (this.current !== null && monotonicNow() < this.current.until) return this.current.token;
    this.pending ??= this.request().finally(() => (this.pending = null));
    return await this.pending;
  }

  forget(): void {
    this.current = null;
  }

  private async request(): Promise<string> {
    const { client } = this;
    const place = { url: client.tokenUrl };
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    if (client.scope !== null) form.set('scope', client.scope);
    const basic = Buffer.from(`${encodeURIComponent(client.clientId)}:${encodeURIComponent(client.clientSecret)}`);
    const headers = {
      authorization: `Basic ${basic.toString('base64')}`,
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    };
    const sentAt = monotonicNow();
    let reply;
    try {
      reply = await this.exchange.send(client.tokenUrl, {
        method: 'POST',
        headers,
        body: form.toString(),
        mostBytes: MOST_BYTES,
      });
    } catch (cause) {
      if (cause instanceof BodyTooLarge) throw refused(`its answer is too large`, place);
      throw unreachable(messageOf(cause), place, cause);
    }
    if (reply.status >= 500 || reply.status === 429) throw unreachable(`HTTP status ${reply.status}`, place);
    const answer = parseAnswer(reply.text);
    if (reply.status !== 200) {
      const error = typeof answer?.['error'] === 'string' ? ` (${quoted(answer['error'])})` : '';
      throw refused(`HTTP status ${reply.status}${error}`, place);
    }
    const token = answer?.['access_token'];
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) throw refused('its answer has no token', place);
    const seconds = Number(answer?.['expires_in']);
    const lifetimeMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0;
    // Of a short life, half is used.
    const usedMs = Math.max(lifetimeMs / 2, lifetimeMs - client.renewEarlyMs);
    this.current = { token, until: sentAt + usedMs };
    return token;
  }
}

function unreachable(reason: string, place: { readonly url: string }, cause?: unknown): RetriableError {
  return new RetriableError(`The authorization server of the schema registry does not give a token: ${reason}.`, {
    code: 'REGISTRY_UNREACHABLE',
    place,
    cause,
  });
}

function refused(reason: string, place: { readonly url: string }): ConfigError {
  return new ConfigError(
    `The authorization server of the schema registry refuses a token: ${reason}. Check bearer.auth.client.id, bearer.auth.client.secret and bearer.auth.scope.`,
    { code: 'REGISTRY_DENIED', place },
  );
}
