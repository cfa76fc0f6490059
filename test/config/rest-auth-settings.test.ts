import { isConnectError } from '@millrace/sdk';
import type { RestAuthSettings } from '../../src/config/rest-auth-settings';
import { parseWorkerConfig } from '../../src/config/worker-config';

const MINIMAL = {
  'bootstrap.servers': 'k:9092',
  'group.id': 'g',
  'config.storage.topic': 'c',
  'offset.storage.topic': 'o',
  'status.storage.topic': 's',
  'key.converter': 'K',
  'value.converter': 'V',
};
const BASIC = {
  'rest.extension.classes': 'org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension',
  'java.security.auth.login.config': '/etc/jaas.conf',
};
const BEARER = {
  'rest.auth.jwks.url': 'https://idp/keys',
  'rest.auth.jwt.issuer': 'https://idp',
  'rest.auth.jwt.audience': 'connect, other',
};
const auth = (settings: Record<string, string>): RestAuthSettings =>
  parseWorkerConfig({ ...MINIMAL, ...settings }).restAuth;

function refusal(settings: Record<string, string>): string {
  try {
    auth(settings);
  } catch (error) {
    if (isConnectError(error)) return error.message.replace(/^Worker setting /, '');
    throw error;
  }
  throw new Error('the settings were accepted');
}

test('by default there is no authentication, also with a JAAS file for other purposes', () => {
  const none = { basic: null, bearer: null, roles: null, openPaths: [] };
  expect(auth({})).toEqual(none);
  expect(auth({ 'java.security.auth.login.config': '/etc/jaas.conf' })).toEqual(none);
});

test('HTTP Basic, bearer tokens with their defaults, roles and open paths', () => {
  expect(
    auth({
      ...BASIC,
      ...BEARER,
      'rest.auth.roles.admin': 'user:alice, claim:platform',
      'rest.auth.roles.reader': '*',
      'rest.auth.open.paths': '/health,/metrics',
    }),
  ).toEqual({
    basic: { jaasFile: '/etc/jaas.conf' },
    bearer: {
      keys: { url: 'https://idp/keys' },
      issuer: 'https://idp',
      audience: ['connect', 'other'],
      algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
      clockSkewMs: 30_000,
      userClaim: 'sub',
      rolesClaim: 'roles',
    },
    roles: { reader: ['*'], operator: [], admin: ['user:alice', 'claim:platform'] },
    openPaths: ['/health', '/metrics'],
  });
});

test.each<[Record<string, string>, RegExp]>([
  [{ 'rest.extension.classes': 'BasicAuthSecurityRestExtension' }, /^"rest.extension.classes" .* needs a JAAS file/],
  [{ 'rest.auth.rolls.admin': 'user:a' }, /^"rest.auth.rolls.admin" is invalid: it is not a known setting/],
  [{ 'rest.auth.roles.admin': 'user:a' }, /^"rest.auth.roles.admin" .* roles need a way to authenticate/],
  [{ ...BASIC, 'rest.auth.roles.admin': 'alice' }, /'alice' is neither user:NAME, nor claim:NAME, nor \*/],
  [{ ...BASIC, 'rest.auth.roles.admin': 'user:' }, /'user:' is neither/],
  [
    { ...BASIC, 'rest.auth.open.paths': '/connectors' },
    /'\/connectors' cannot be open; possible are \/, \/health, \/m/,
  ],
  [{ ...BASIC, 'rest.auth.roles.admin': '*', 'connect.protocol': 'compatible' }, /^"connect.protocol" .* sessioned/],
  [{ 'rest.auth.jwt.issuer': 'x' }, /^"rest.auth.jwt.issuer" .* it needs the keys that sign tokens/],
  [{ ...BEARER, 'rest.auth.jwt.issuer': '' }, /^"rest.auth.jwt.issuer" .* the exact value of the iss claim/],
  [{ ...BEARER, 'rest.auth.jwt.audience': '' }, /^"rest.auth.jwt.audience" .* a token for any other service/],
  [{ ...BEARER, 'rest.auth.jwks.file': '/keys' }, /only one of rest.auth.jwks.file and rest.auth.jwks.url/],
  [{ ...BEARER, 'rest.auth.jwks.url': 'http://idp/keys' }, /it must be an https URL/],
  [{ ...BEARER, 'rest.auth.jwks.url': 'https://me:pw@idp/keys' }, /it must not contain a user name or password/],
  [{ ...BEARER, 'rest.auth.jwt.algorithms': 'RS256,HS256' }, /'HS256' is not allowed/],
  [{ ...BEARER, 'rest.auth.jwt.algorithms': 'none' }, /'none' is not allowed/],
  [{ ...BEARER, 'rest.auth.jwt.algorithms': '' }, /Value must not be empty/],
  [{ ...BEARER, 'rest.auth.jwt.clock.skew.ms': '600001' }, /Value must be no more than 600000/],
  [{ ...BASIC, 'rest.auth.roles.admin': '' }, /^"rest.auth.roles.admin" is invalid: it is empty, and would leave/],
  [{ ...BASIC, 'rest.auth.roles.reader': ' , ' }, /^"rest.auth.roles.reader" is invalid: it is empty/],
  [{ 'rest.auth.jwks.url': '' }, /^"rest.auth.jwks.url" is invalid: it is empty/],
  [{ 'rest.auth.jwks.file': ' ' }, /^"rest.auth.jwks.file" is invalid: it is empty/],
  [{ ...BASIC, 'rest.auth.roles.admin': 'user: alice' }, /'user: alice' is neither/],
  [
    { ...BASIC, 'rest.auth.roles.admin': 'user:a', 'rest.auth.roles.reader': '*, claim:team' },
    /^"rest.auth.roles.reader" is invalid: only bearer tokens have claims, and they are off; set/,
  ],
  [{ 'rest.auth.open.paths': '/health' }, /^"rest.auth.open.paths" .* every path is open, because there is not yet/],
  [{ ...BEARER, 'rest.auth.jwt.roles.claim': 'groups' }, /^"rest.auth.jwt.roles.claim" .* claim would not be used/],
  [
    { ...BEARER, 'rest.auth.jwt.roles.claim': 'groups', 'rest.auth.roles.admin': 'user:a' },
    /^"rest.auth.jwt.roles.claim" .* no role is given to claim:NAME/,
  ],
])('%j is refused', (settings, message) => {
  expect(refusal(settings)).toMatch(message);
});

test('one of several roles may be empty', () => {
  const roles = auth({ ...BASIC, 'rest.auth.roles.admin': 'user:a', 'rest.auth.roles.operator': '' }).roles;
  expect(roles).toEqual({ reader: [], operator: [], admin: ['user:a'] });
});

test('keys may be fetched from this machine without TLS', () => {
  expect(auth({ ...BEARER, 'rest.auth.jwks.url': 'http://localhost:1/keys' }).bearer?.keys).toEqual({
    url: 'http://localhost:1/keys',
  });
});
