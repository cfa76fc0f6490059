/** connect-rest §0 and Appendix R: details of the wire format that clients rely on implicitly. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../dev/services/paths';
import { uniqueName } from '../../helpers/unique-name';
import { expectError, ours, Target, type Answer } from './client';

let target: Target;
beforeAll(async () => {
  target = await Target.open();
});
afterAll(() => target.close());
afterEach(() => target.removeAll());

const SNK = { 'connector.class': 'FileStreamSink', topics: uniqueName('conformance') };
const validate = (body: unknown): Promise<Answer> =>
  target.call('PUT', '/connector-plugins/FileStreamSink/config/validate', body);
const create = (name: string, config: object): Promise<Answer> =>
  target.mutate('POST', '/connectors', { name, config, initial_state: 'STOPPED' });
const text = (config: object = SNK): string => JSON.stringify({ ...config, name: 'k' });

test('connect-rest 92, 113, 114: the first of repeated parameters counts, unknown ones are ignored, Booleans are read in any case', async () => {
  const types = async (query: string): Promise<number> => {
    const { json } = await target.call('GET', `/connector-plugins?${query}`);
    return new Set((json as { type: string }[]).map(({ type }) => type)).size;
  };
  expect(await types('connectorsOnly=FALSE&connectorsOnly=true')).toBeGreaterThan(2);
  expect(await types('connectorsOnly=TRUE&connectorsOnly=false&unknown=1')).toBeLessThanOrEqual(2);
  expect(await types('connectorsOnly=1')).toBeGreaterThan(2);
  expect(await types('unknown&&=')).toBeLessThanOrEqual(2);
});

test('connect-rest 24, 71: names in other scripts, and with characters reserved in URLs', async () => {
  for (const name of [uniqueName('ä€-中文-😀'), uniqueName('a?b#c&d=e+f'), uniqueName("it's (one)!")]) {
    const path = `/connectors/${encodeURIComponent(name)}`;
    expect((await create(name, SNK)).json.name).toBe(name);
    const found = await target.poll(path, ({ status }) => status === 200);
    expect(found.json.name).toBe(name);
    expect((await target.mutate('DELETE', `${path}/`)).status).toBe(204);
  }
});

test('connect-rest 47, 124: a body of a megabyte', async () => {
  const { status, json } = await validate({ ...SNK, name: 'k', unknown: 'x'.repeat(1_000_000) });
  expect([status, json.error_count]).toEqual([200, 0]);
});

test('connect-rest R7: the text of unknown members', async () => {
  expectError(
    await target.call('POST', '/connectors', '{"name":"a","foo":1}'),
    500,
    /^Unrecognized field "foo" \(class org\.apache\.kafka\.connect\.runtime\.rest\.entities\.CreateConnectorRequest\), not marked as ignorable \(3 known properties: "config", "name", "initial_state"\)\n/,
  );
});

test('connect-rest R11: an empty version', async () => {
  expectError(
    await target.call('GET', '/connector-plugins/FileStreamSink/config?version='),
    400,
    /^Plugin org\.apache\.kafka\.connect\.file\.FileStreamSinkConnector not found that matches the version range \[,\], /,
  );
});

test('connect-rest R12: byte order marks, UTF-16, UTF-32; commas alone as topics', async () => {
  const json = text();
  const bodies = [
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(json)]),
    Buffer.from(json, 'utf16le'),
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(json, 'utf16le')]),
    Buffer.from(json, 'utf16le').swap16(),
    Buffer.from(Uint32Array.from(json, (character) => character.charCodeAt(0)).buffer),
  ];
  for (const body of bodies) {
    const answer = await validate(body);
    expect([answer.status, answer.json.error_count]).toEqual([200, 0]);
  }
  const { json: found } = await validate({ ...SNK, name: 'k', topics: ',' });
  expect(JSON.stringify(found)).toContain("Configuration 'topics' values must not be duplicated.");
});

test("connect-rest 41, 42, 46: malformed JSON of all kinds, with Jackson's texts and positions", async () => {
  const recorded = readFileSync(join(ROOT, 'test', 'golden', 'rest', 'json-errors.json'), 'utf8');
  const wrong: unknown[] = [];
  for (const [body, message] of JSON.parse(recorded) as [string, string][]) {
    const answer = await target.call('PUT', '/admin/loggers/none', body);
    if (answer.json.message !== message) wrong.push([body, message, answer.json.message]);
  }
  expect(wrong).toEqual([]);
});

ours('connect-rest R12: a body that is neither JSON nor of the right type is rejected as invalid JSON', async () => {
  for (const body of ['[1,', '{"a":[NaN]}', '{"a":{"b":1'])
    expectError(
      await target.call('PUT', '/admin/loggers/none', body),
      500,
      /^(?:Unexpected end-of-input|Non-standard)/,
    );
});

test('connect-rest 158: fencing is only for other workers', async () => {
  const fence = (headers: Record<string, string> = {}): ReturnType<Target['call']> =>
    target.call('PUT', '/connectors/none/fence', undefined, headers);
  expectError(await fence(), 400, 'Internal request missing required signature');
  expectError(await target.call('GET', '/connectors/none/fence'), 405, 'HTTP 405 Method Not Allowed');
  const signed = (signature: string, algorithm: string): ReturnType<Target['call']> =>
    fence({ 'X-Connect-Authorization': signature, 'X-Connect-Request-Signature-Algorithm': algorithm });
  expectError(await signed('AAAA', 'HmacSHA256'), 403, 'Internal request contained invalid signature.');
  expectError(await signed('!!', 'HmacSHA256'), 400, 'Illegal base64 character 21');
  expectError(await signed('AAAA', 'Rot13'), 400, 'Algorithm Rot13 not available');
});

test('connect-rest R13: the internal endpoint without task configs', async () => {
  const name = uniqueName('c');
  await create(name, SNK);
  const post = (body: string): Promise<Answer> => target.call('POST', `/connectors/${name}/tasks`, body);
  expectError(await post(''), 500, /^No content to map due to end-of-input/);
  expectError(await post('null'), 400, 'Internal request missing required signature');
});

ours('connect-rest R1: an unknown class always gets the same answer', async () => {
  const config = { 'connector.class': uniqueName('NoSuch') };
  for (let i = 0; i < 2; i++) {
    expectError(await target.call('POST', '/connectors', { name: 'a', config }), 400, /^Failed to find any class/);
  }
});

ours('connect-rest R2: a version that is not installed always gets the same answer', async () => {
  const config = { ...SNK, 'connector.plugin.version': '9.9' };
  for (let i = 0; i < 2; i++) {
    expectError(
      await target.call('POST', '/connectors', { name: 'a', config }),
      400,
      /\nPlugin org\.apache\.kafka\.connect\.file\.FileStreamSinkConnector not found that matches the version range \[9\.9,9\.9\], /,
    );
  }
});

ours('connect-rest R11: a class that is not a plugin', async () => {
  expectError(
    await target.call('GET', '/connector-plugins/java.lang.String/config'),
    404,
    'Unknown plugin java.lang.String.',
  );
});

ours('connect-rest R12: nesting deeper than 1000', async () => {
  expectError(await validate('['.repeat(1001) + ']'.repeat(1001)), 400, /^Document nesting depth \(1001\) exceeds/);
});

ours('connect-rest R15: a secret in the text about a missing class', async () => {
  const answer = await target.call('POST', '/connectors', { name: 'a', config: { 'database.password': 'canary' } });
  expectError(answer, 400, 'Connector config {database.password=[hidden], name=a} contains no connector type');
});

ours('connect-rest R16: a body in ISO-8859-1', async () => {
  expectError(await validate(Buffer.from(text({ ...SNK, file: 'ä' }), 'latin1')), 400, /UTF-8/);
});
