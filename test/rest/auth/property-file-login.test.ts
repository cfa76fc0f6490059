import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJaasFile } from '../../../packages/kafka-client/src/security/jaas';
import { silentLogger } from '../../../src/logging/logger';
import { PropertyFileLogin } from '../../../src/rest/auth/property-file-login';

const MODULE = 'org.apache.kafka.connect.rest.basic.auth.extension.PropertyFileLoginModule';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-login-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, 'latin1');
  return path;
}
const jaas = (modules: string): string => file('jaas.conf', `KafkaConnect {\n${modules}\n};\n`);
function login(modules: string): { login: PropertyFileLogin; warnings: string[] } {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (message: string): void => void warnings.push(message) };
  return { login: PropertyFileLogin.read(jaas(modules), parseJaasFile, logger), warnings };
}
const one = (path: string, flag = 'required'): string => `${MODULE} ${flag} file="${path}";`;

test('users of a properties file, which is Latin-1 with escapes, as in Java', () => {
  const users = file('users', '# comment\nalice=secret\num\\u00e4=p\xe4ss\nempty=\n__proto__=x\n');
  const { login: found, warnings } = login(one(users));
  const accepts = (user: string, password: string): boolean => found.accepts({ user, password });
  expect([accepts('alice', 'secret'), accepts('umä', 'päss'), accepts('empty', ''), accepts('__proto__', 'x')]).toEqual(
    [true, true, true, true],
  );
  expect([
    accepts('alice', 'Secret'),
    accepts('alice', ''),
    accepts('mallory', ''),
    accepts('toString', ''),
    accepts('constructor', ''),
    found.accepts(null),
    found.admitsEveryone,
  ]).toEqual([false, false, false, false, false, false, false]);
  expect(warnings).toEqual([]);
});

test('as in Java, one matching module is enough, whatever the flags', () => {
  const [a, b] = [file('a', 'alice=a\n'), file('b', 'bob=b\nalice=b\n')];
  const { login: found } = login(`${one(a)}\n${one(b, 'requisite')}`);
  const accepts = (user: string, password: string): boolean => found.accepts({ user, password });
  expect([accepts('alice', 'a'), accepts('alice', 'b'), accepts('bob', 'b'), accepts('bob', 'a')]).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('as in Java, an empty file admits everyone, which is logged', () => {
  const empty = file('none', '# nobody yet\n');
  const { login: found, warnings } = login(one(empty));
  expect([found.admitsEveryone, found.accepts(null), found.accepts({ user: 'x', password: 'y' })]).toEqual([
    true,
    true,
    true,
  ]);
  expect(warnings).toEqual([
    `The credentials file ${empty} is empty, so the REST API accepts every request, as in Java`,
  ]);
});

test.each<[string, RegExp]>([
  [`${MODULE} required;`, /needs file="…"/],
  [
    'com.sun.security.auth.module.LdapLoginModule required;',
    /LdapLoginModule in .* is a Java class and cannot run here/,
  ],
  [`${MODULE} required file="/nowhere/users";`, /cannot read \/nowhere\/users: ENOENT/],
  [`${MODULE} required file="\${user.home}/users";`, /must be a path without/],
  ['', /needs a section KafkaConnect with a login module/],
])('%s is refused', (modules, message) => {
  expect(() => login(modules)).toThrow(message);
});

test('a JAAS file that is missing or has another section is refused, and its values are not quoted', () => {
  const read = (path: string): unknown => PropertyFileLogin.read(path, parseJaasFile, silentLogger);
  expect(() => read('/nowhere/jaas.conf')).toThrow(/"java.security.auth.login.config" is invalid: cannot read/);
  expect(() => read(file('other', 'KafkaServer { a.B required user="x" password="hunter2"; };'))).toThrow(
    /needs a section KafkaConnect/,
  );
  expect(() => read(file('broken', 'KafkaConnect { a.B required password="hunter2"'))).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('hunter2') as string }) as Error,
  );
  const users = file('users2', 'alice=secret\n');
  expect(PropertyFileLogin.read(`=file://${jaas(one(users))}`, parseJaasFile, silentLogger).admitsEveryone).toBe(false);
});
