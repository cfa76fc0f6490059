import { createHmac, createPublicKey, type JsonWebKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BearerSettings } from '../../../src/config/rest-auth-settings';
import { silentLogger } from '../../../src/logging/logger';
import { bearerTokens } from '../../../src/rest/auth/bearer-tokens';
import type { Identity } from '../../../src/rest/auth/roles';
import {
  AUDIENCE,
  forgedToken,
  ISSUER,
  startIdentityProvider,
  type IdentityProvider,
} from '../../helpers/identity-provider';

let provider: IdentityProvider;
let folder: string;
let settings: BearerSettings;
beforeAll(async () => {
  provider = await startIdentityProvider();
  folder = mkdtempSync(join(tmpdir(), 'millrace-tokens-'));
  settings = {
    keys: { url: provider.url },
    issuer: ISSUER,
    audience: ['other', AUDIENCE],
    algorithms: ['RS256', 'ES256'],
    clockSkewMs: 30_000,
    userClaim: 'sub',
    rolesClaim: 'roles',
  };
});
beforeEach(() => provider.answer(null));
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

const verify = async (token: string, more: Partial<BearerSettings> = {}): Promise<Identity> =>
  await bearerTokens({ ...settings, ...more }, silentLogger)(token);

async function refusal(token: string, more: Partial<BearerSettings> = {}): Promise<unknown[]> {
  return await verify(token, more).then(
    (identity) => ['accepted', identity],
    (error: { status: number; message: string }) => [error.status, error.message],
  );
}
const invalid = (reason: string): unknown[] => [401, `The bearer token is not valid: ${reason} (REST_TOKEN_INVALID)`];
const seconds = (offset: number): number => Math.floor(Date.now() / 1000) + offset;

describe('identities', () => {
  test.each<[Record<string, unknown>, Partial<BearerSettings>, Identity]>([
    [{}, {}, { user: 'tom', claims: [] }],
    [{ roles: ['a', 'b'] }, {}, { user: 'tom', claims: ['a', 'b'] }],
    [{ scope: 'read  write' }, { rolesClaim: 'scope' }, { user: 'tom', claims: ['read', 'write'] }],
    [{ realm_access: { roles: ['a'] } }, { rolesClaim: 'realm_access.roles' }, { user: 'tom', claims: ['a'] }],
    [{ 'https://x.y/roles': ['a'] }, { rolesClaim: 'https://x.y/roles' }, { user: 'tom', claims: ['a'] }],
    [{ preferred_username: 'tim' }, { userClaim: 'preferred_username' }, { user: 'tim', claims: [] }],
    [{ roles: [1, null, '', 'a', { b: 1 }] }, {}, { user: 'tom', claims: ['a'] }],
    [{ roles: { admin: true } }, {}, { user: 'tom', claims: [] }],
    [{ aud: ['x', AUDIENCE] }, {}, { user: 'tom', claims: [] }],
    [{ exp: seconds(-1) }, {}, { user: 'tom', claims: [] }],
  ])('%j', async (claims, more, identity) => {
    expect(await verify(await provider.token(claims), more)).toEqual(identity);
  });

  test('keys of another algorithm, by their key id', async () => {
    expect(await verify(await provider.token({}, {}, 'ec'))).toEqual({ user: 'tom', claims: [] });
  });

  test.each([
    ['no name', undefined],
    ['an empty name', ''],
    ['a number', 5],
    ['a list', ['tom']],
    ['a name of 257 characters', 'x'.repeat(257)],
  ])('%s is no user', async (_title, sub) => {
    expect(await refusal(await provider.token({ sub }))).toEqual(invalid("the claim sub must be a user's name"));
  });

  test('inherited properties are not claims', async () => {
    for (const name of ['constructor', '__proto__', 'constructor.name', 'sub.length'])
      expect(await refusal(await provider.token(), { userClaim: name })).toEqual(
        invalid(`the claim ${name} must be a user's name`),
      );
  });
});

describe('invalid tokens', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['another issuer', { iss: 'https://idp.example/' }, 'the claim iss is not accepted'],
    ['another audience', { aud: 'others' }, 'the claim aud is not accepted'],
    ['no audience', { aud: undefined }, 'the claim aud is not accepted'],
    ['an expired token', { exp: seconds(-40) }, 'it has expired'],
    ['no expiry', { exp: undefined }, 'the claim exp is not accepted'],
    ['a text as expiry', { exp: 'never' }, 'the claim exp is not accepted'],
    ['a token for later', { nbf: seconds(60) }, 'the claim nbf is not accepted'],
  ])('%s', async (_title, claims, reason) => {
    expect(await refusal(await provider.token(claims))).toEqual(invalid(reason));
  });

  test('a key that the issuer has not published', async () => {
    expect(await refusal(await provider.token({}, {}, 'foreign'))).toEqual(invalid('its signature does not match'));
    expect(await refusal(await provider.token({}, { kid: 'new' }, 'foreign'))).toEqual(
      invalid('no key of the issuer has its key id and algorithm'),
    );
  });

  test('an algorithm that the settings do not list', async () => {
    expect(await refusal(await provider.token({}, {}, 'ec'), { algorithms: ['RS256'] })).toEqual(
      invalid('its algorithm is not among rest.auth.jwt.algorithms'),
    );
  });

  test('no signature, and a signature with the public key as a shared secret', async () => {
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'eve', exp: seconds(300) };
    const algorithm = 'its algorithm is not among rest.auth.jwt.algorithms';
    for (const alg of ['none', 'None', 'NONE', 'HS256', 'constructor'])
      expect(await refusal(forgedToken({ alg, kid: 'rsa' }, claims, 'AA'))).toEqual(invalid(algorithm));
    const rsa = createPublicKey({ key: provider.keySet.keys[0] as JsonWebKey, format: 'jwk' });
    const unsigned = forgedToken({ alg: 'HS256', kid: 'rsa' }, claims).slice(0, -1);
    const hmac = createHmac('sha256', rsa.export({ type: 'spki', format: 'pem' }))
      .update(unsigned)
      .digest('base64url');
    expect(await refusal(`${unsigned}.${hmac}`)).toEqual(invalid(algorithm));
  });

  test('keys that the token itself brings are not used', async () => {
    const [jwk] = provider.keySet.keys;
    const header = { kid: undefined, jwk, jku: 'https://evil.example/keys', x5u: 'https://evil.example/x' };
    expect(await refusal(await provider.token({}, header, 'foreign'))).toEqual(invalid('its signature does not match'));
  });

  test.each([
    ['an empty text', '', 'it is not a signed JSON Web Token'],
    ['two parts', 'a.b', 'it is not a signed JSON Web Token'],
    ['five parts', 'a.b.c.d.e', 'it is not a signed JSON Web Token'],
    ['a letter outside the alphabet', 'a.b.ü', 'it is not a signed JSON Web Token'],
    ['a blank', 'a b.c.d', 'it is not a signed JSON Web Token'],
    ['only dots', '....', 'it is not a signed JSON Web Token'],
    ['parts that are not JSON', 'a.b.c', 'it is malformed'],
    ['null as header', forgedToken(null, {}, 'AA'), 'it is malformed'],
    ['lists', forgedToken([], [], 'AA'), 'it is malformed'],
    ['a number as algorithm', forgedToken({ alg: 5 }, {}, 'AA'), 'it is malformed'],
    [
      'an object as key id',
      forgedToken({ alg: 'RS256', kid: { a: 1 } }, {}, 'AA'),
      'no key of the issuer has its key id and algorithm',
    ],
    [
      'a critical extension',
      forgedToken({ alg: 'RS256', kid: 'rsa', crit: ['x'], x: 1 }, {}, 'AA'),
      'its algorithm is not among',
    ],
    ['a token of 8193 characters', 'x'.repeat(8193), 'it is longer than 8192 characters'],
  ])('%s', async (_title, token, reason) => {
    const [status, message] = await refusal(token);
    expect([status, message]).toEqual([401, expect.stringContaining(reason)]);
  });
});

describe('keys from a URL', () => {
  test('are fetched once for many tokens, also for unknown key ids', async () => {
    const check = bearerTokens(settings, silentLogger);
    const before = provider.requests();
    const tokens = await Promise.all([1, 2, 3, 4].map(async () => await provider.token()));
    await Promise.all(tokens.map(check));
    for (const kid of ['x', 'y']) await expect(check(await provider.token({}, { kid }))).rejects.toThrow(/no key/);
    expect(provider.requests() - before).toBe(1);
  });

  test.each<[string, Parameters<IdentityProvider['answer']>[0], RegExp]>([
    ['a failure', (_request, response) => void response.writeHead(500).end(), /: status 500$/],
    [
      'a redirect',
      (_request, response) => void response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
      /: status 302$/,
    ],
    ['a page', (_request, response) => void response.end('<html>hunter2'), /: it is not JSON$/],
    ['another document', (_request, response) => void response.end('{"keys":[1]}'), /not a JSON Web Key Set/],
    ['a list of lists', (_request, response) => void response.end('{"keys":[[]]}'), /not a JSON Web Key Set/],
    [
      'an endless document',
      (_request, response) => {
        response.write('{"keys":[');
        const more = (): void => void (response.writable && response.write('1,'.repeat(50_000), more));
        more();
      },
      /larger than 262144 bytes/,
    ],
    ['a closed connection', (request) => void request.socket.destroy(), /other side closed|ECONNRESET|socket hang up/],
  ])('%s is reported as 503, once for all requests of the next seconds', async (_title, answer, reason) => {
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const check = bearerTokens(settings, { ...silentLogger, warn });
    const token = await provider.token();
    provider.answer(answer);
    const before = provider.requests();
    await expect(check(token)).rejects.toMatchObject({ status: 503, code: 'REST_TOKEN_KEYS', retryAfterS: 5 });
    await expect(check(token)).rejects.toThrow(
      /^The keys that sign bearer tokens cannot be read; retry in a moment \(REST_TOKEN_KEYS\)$/,
    );
    expect(provider.requests() - before).toBe(1);
    expect(warnings).toEqual([expect.stringMatching(reason)]);
    expect(warnings[0]).not.toContain('hunter2');
  });
});

describe('keys from a file', () => {
  const path = (): string => join(folder, 'keys.json');

  test('are read at startup, and a file that cannot be used aborts it', () => {
    const build = (file: string): unknown => bearerTokens({ ...settings, keys: { file } }, silentLogger);
    expect(() => build('/nowhere/keys.json')).toThrow(/"rest.auth.jwks.file" is invalid: cannot read .* ENOENT/);
    writeFileSync(path(), 'hunter2');
    expect(() => build(path())).toThrow(/: it is not JSON\.$/);
    writeFileSync(path(), ' '.repeat(300_000));
    expect(() => build(path())).toThrow(/at most 262144 are allowed/);
  });

  test('verify tokens', async () => {
    writeFileSync(path(), JSON.stringify(provider.keySet));
    const keys = { file: path() };
    expect(await verify(await provider.token(), { keys })).toEqual({ user: 'tom', claims: [] });
    expect(await refusal(await provider.token({}, {}, 'foreign'), { keys })).toEqual(
      invalid('its signature does not match'),
    );
  });

  test('a shared secret or a private key in the file verifies nothing', async () => {
    const secret = { kty: 'oct', kid: 'rsa', k: Buffer.from('x'.repeat(32)).toString('base64url') };
    writeFileSync(path(), JSON.stringify({ keys: [secret] }));
    expect(await refusal(await provider.token(), { keys: { file: path() } })).toEqual(
      invalid('no key of the issuer has its key id and algorithm'),
    );
  });
});
