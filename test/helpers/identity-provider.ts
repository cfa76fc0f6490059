/** An issuer of bearer tokens: its keys, and an HTTP server that publishes them. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export const ISSUER = 'https://idp.example';
export const AUDIENCE = 'connect';

export interface IdentityProvider {
  /** The public keys, as `/keys` returns them. */
  readonly keySet: { readonly keys: readonly Record<string, unknown>[] };
  readonly url: string;
  /** Number of requests for the keys. */
  readonly requests: () => number;
  /** Replaces the answer with the keys. */
  answer(listener: RequestListener | null): void;
  /** A signed token. `claims` and `header` override the valid ones; undefined removes a claim. */
  token(claims?: Record<string, unknown>, header?: Record<string, unknown>, key?: string): Promise<string>;
  close(): Promise<void>;
}

/** `key` of `token` is one of `rsa`, `ec`, and `foreign`, which is not published. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { exportJWK, generateKeyPair, SignJWT } = await import('jose');
  const pairs = {
    rsa: await generateKeyPair('RS256', { extractable: true }),
    ec: await generateKeyPair('ES256', { extractable: true }),
    foreign: await generateKeyPair('RS256', { extractable: true }),
  };
  const algorithms = { rsa: 'RS256', ec: 'ES256', foreign: 'RS256' } as const;
  type Name = keyof typeof pairs;
  const keys = await Promise.all(
    (['rsa', 'ec'] as const).map(async (kid) => ({ ...(await exportJWK(pairs[kid].publicKey)), kid, use: 'sig' })),
  );
  const keySet = { keys };
  let requests = 0;
  let listener: RequestListener | null = null;
  const server: Server = createServer((request, response) => {
    requests++;
    if (listener) listener(request, response);
    else response.setHeader('Content-Type', 'application/json').end(JSON.stringify(keySet));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    keySet,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    requests: () => requests,
    answer: (replacement) => (listener = replacement),
    token: async (claims = {}, header = {}, key = 'rsa') => {
      const now = Math.floor(Date.now() / 1000);
      const all = { iss: ISSUER, aud: AUDIENCE, sub: 'tom', iat: now, exp: now + 300, ...claims };
      const kid = key === 'foreign' ? 'rsa' : key;
      return await new SignJWT(all)
        .setProtectedHeader({ alg: algorithms[key as Name], kid, ...header })
        .sign(pairs[key as Name].privateKey);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token with any header, payload and signature. */
export function forgedToken(header: unknown, payload: unknown, signature = ''): string {
  return `${part(header)}.${part(payload)}.${signature}`;
}
