/** The headers that authenticate a request. */
import type { Credentials } from '../config/credentials';
import type { RegistryUrl } from '../config/connection-settings';
import type { Exchange } from './exchange';
import { TokenSource } from './token-source';

export class Authorization {
  private readonly tokens: TokenSource | null;

  constructor(
    private readonly credentials: Credentials,
    exchange: Exchange,
  ) {
    this.tokens = credentials.kind === 'oauth' ? new TokenSource(credentials.client, exchange) : null;
  }

  /** Rejects as `TokenSource`. */
  async headers({ userInfo }: RegistryUrl): Promise<Readonly<Record<string, string>>> {
    const { credentials, tokens } = this;
    switch (credentials.kind) {
      case 'url':
        return userInfo === null ? {} : { authorization: basic(userInfo) };
      case 'basic':
        return { authorization: basic(credentials.userInfo) };
      case 'token':
        return { ...credentials.headers, authorization: `Bearer ${credentials.token}` };
      case 'oauth':
        return { ...credentials.headers, authorization: `Bearer ${await (tokens as TokenSource).token()}` };
    }
  }

  /** The registry rejected what `headers` returned. Returns whether there may be other ones. */
  reject(): boolean {
    this.tokens?.forget();
    return this.tokens !== null;
  }
}

const basic = (userInfo: string): string => `Basic ${Buffer.from(userInfo).toString('base64')}`;
