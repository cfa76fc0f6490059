/** What a secret looks like, by name and inside texts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasPrivateKey, hideSecretsIn, isSecretName } from '../../packages/texts/src/secrets';

const KEY = '-----BEGIN PRIVATE KEY-----\nMIIhunter2\nhunter2==\n-----END PRIVATE KEY-----';
const IN_JSON = KEY.replaceAll('\n', '\\n');

test.each([
  ['https://u:hunter2@hunter2@host/p@q', 'https://u:[hidden]@host/p@q'],
  ['https://u@corp:hunter2@host', 'https://u@corp:[hidden]@host'],
  ['access_key=hunter2', 'access_key=[hidden]'],
  ['AWS_SECRET_ACCESS_KEY=hunter2/a+b AWS_REGION=eu', 'AWS_SECRET_ACCESS_KEY=[hidden] AWS_REGION=eu'],
  ['private_key: hunter2', 'private_key: [hidden]'],
  ['"privateKey":"hunter2","a":1', '"privateKey":[hidden],"a":1'],
  ['sslkey=hunter2 port=1', 'sslkey=[hidden] port=1'],
  ['user=u pass=hunter2 port=1', 'user=u pass=[hidden] port=1'],
  ['DB_PASS: hunter2', 'DB_PASS: [hidden]'],
  ['basic.auth.user.info=u:hunter2', 'basic.auth.user.info=[hidden]'],
  ['Authorization: ApiKey hunter2', 'Authorization: ApiKey [hidden]'],
  ['Authorization: hunter2', 'Authorization: [hidden]'],
  ['{"Proxy-Authorization":"AWS4-HMAC-SHA256 hunter2"}', '{"Proxy-Authorization":"AWS4-HMAC-SHA256 [hidden]"}'],
  ['sent Bearer hunter2.a_b-c= to h', 'sent Bearer [hidden] to h'],
  ['["Authorization","bearer hunter2"]', '["Authorization","bearer [hidden]"]'],
  ["ALTER ROLE r PASSWORD 'hunter2''hunter2' VALID", 'ALTER ROLE r PASSWORD [hidden] VALID'],
  ["ALTER ROLE r PASSWORD E'hunter2\\'hunter2'", 'ALTER ROLE r PASSWORD [hidden]'],
  ['create user u password $a$hunter2 $ x$a$;', 'create user u password [hidden];'],
  ["password = 'hunter2\\'hunter2' port=1", 'password = [hidden] port=1'],
  ["'{\\'password\\': \\'hunter2\\', \\'a\\': 1}'", "'{\\'password\\': [hidden], \\'a\\': 1}'"],
  [`key is ${KEY} there`, 'key is [hidden] there'],
  [`a.key=${KEY.slice(0, -20)}`, 'a.key=[hidden]'],
  [`private_key: ${KEY}\nport: 1`, 'private_key: [hidden]\nport: 1'],
  [`{"pem":"${IN_JSON.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE')}"}`, '{"pem":"[hidden]"}'],
  [
    `${KEY.replaceAll('PRIVATE', 'RSA PRIVATE')} and ${KEY.replaceAll(/(PRIVATE KEY)/g, 'PGP $1 BLOCK')}.`,
    '[hidden] and [hidden].',
  ],
])('hidden in a text: %s', (text, shown) => {
  expect(hideSecretsIn(text)).toBe(shown);
  expect(hideSecretsIn(shown)).toBe(shown);
  expect(shown).not.toContain('hunter2');
});

test.each([
  'http://host:8083/connectors/a@b is up',
  'Key=5 and primary_key=id and bypass=true, keys: a',
  'The bearer token is missing; Bearer authentication is on',
  'Bearer realm="connect", error="invalid_token"',
  'wrong password for user u, whose password must be changed',
  '-----BEGIN CERTIFICATE-----\nMIIx\n-----END CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----\nMIIx\n-----END PUBLIC KEY-----',
])('shown in a text: %s', (text) => {
  expect(hideSecretsIn(text)).toBe(text);
  expect(hasPrivateKey(text)).toBe(false);
});

test('names of secrets, and names that only resemble them', () => {
  for (const name of [
    'database.sslkey',
    'sslkey',
    'db.pass',
    'AWS_SECRET_ACCESS_KEY',
    'privateKey',
    'ssl.keystore.key',
  ])
    expect([name, isSecretName(name)]).toEqual([name, true]);
  for (const name of ['database.sslcert', 'bypass', 'key.converter', 'message.key.columns', 'token.url', 'monkey'])
    expect([name, isSecretName(name)]).toEqual([name, false]);
});

test.each([
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----\n-----END ',
  '://u:',
  'password $a$',
  "password '",
  'password=\\"',
  'bearer ',
  'authorization: a ',
  'password ',
])('200,000 characters of %j take linear time', (part) => {
  const text = part.repeat(Math.ceil(200_000 / part.length));
  const start = process.cpuUsage();
  hideSecretsIn(text, true);
  // Quadratic time would be minutes.
  expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
});

test('no other file has a list of names of secrets', () => {
  const root = join(__dirname, '../..');
  const files = ['src', 'packages/cli/src', 'packages/texts/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => `${folder}/${file}`),
  );
  const lists = files.filter((file) => /(?:password|secret|token)\|\w/i.test(readFileSync(join(root, file), 'utf8')));
  expect(lists).toEqual(['packages/texts/src/secrets.ts']);
});
