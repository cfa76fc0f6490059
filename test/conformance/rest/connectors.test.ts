/**
 * connect-rest §7, cases 21 to 98, as a client sees them. A file sink stands for any connector unless the case needs a
 * source.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { expectError, ours, oursAlone, states, Target } from './client';

let target: Target;
beforeAll(async () => {
  target = await Target.open();
});
afterAll(async () => {
  await target.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => target.removeAll());

const folder = mkdtempSync(join(tmpdir(), 'millrace-conformance-'));
const topic = uniqueName('conformance');
const SNK = { 'connector.class': 'FileStreamSink', topics: topic, file: join(folder, 'sink.txt') };
const SRC = { 'connector.class': 'FileStreamSource', topic };
const fresh = (): string => uniqueName('c');
const path = (name: string, rest = ''): string => `/connectors/${encodeURIComponent(name)}${rest}`;
const REQUEST = 'org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest';
const invalid = (...messages: string[]): string =>
  [
    `Connector configuration is invalid and contains the following ${messages.length} error(s):`,
    ...messages,
    'You can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`',
  ].join('\n');
const create = (name: unknown, config: unknown, more: object = {}): ReturnType<Target['mutate']> =>
  target.mutate('POST', '/connectors', { name, config, ...more });

/**
 * Resolves when exactly these connectors exist: a follower, and Java, may not yet have read what the leader has
 * answered.
 */
async function lists(names: readonly string[]): Promise<void> {
  await target.poll('/connectors', ({ json }) => JSON.stringify(json) === JSON.stringify(names));
}

describe('create', () => {
  ours('connect-rest R19: a task that could not be created has the version of its plugin', async () => {
    const name = fresh();
    const cut = { transforms: 'f', 'transforms.f.type': 'Filter', 'transforms.f.predicate': 'nobody' };
    expect((await create(name, { ...SNK, ...cut })).status).toBe(201);
    const { json } = await target.poll(path(name, '/status'), (answer) => states(answer).join() === 'RUNNING,FAILED');
    expect(json.tasks[0].version).toBe('4.3.1');
  });

  ours(
    'connect-rest R19: blanks around the classes of converters, transformations and predicates are ignored',
    async () => {
      const name = fresh();
      const config = {
        ...SNK,
        'value.converter': ' org.apache.kafka.connect.storage.StringConverter ',
        transforms: 'f',
        'transforms.f.type': ' Filter ',
        'transforms.f.predicate': 'p',
        predicates: 'p',
        'predicates.p.type': ' RecordIsTombstone ',
      };
      expect((await create(name, config)).status).toBe(201);
      await target.poll(path(name, '/status'), (answer) => states(answer).join() === 'RUNNING,RUNNING');
    },
  );

  test('connect-rest 21, 22: 201, Location by Host, members in order', async () => {
    const name = fresh();
    const answer = await target.call('POST', '/connectors', { name, config: SNK }, { Host: 'foo.example:9999' });
    expect([answer.status, answer.headers.location]).toEqual([201, `http://foo.example:9999/connectors/${name}`]);
    expect(Object.keys(answer.json as object)).toEqual(['name', 'config', 'tasks', 'type']);
    expect(answer.json).toEqual({ name, config: { ...SNK, name }, tasks: [], type: 'sink' });
  });

  test('connect-rest 22: an HTTP/1.0 request without a Host header gets a Location, too', async () => {
    const name = fresh();
    const body = JSON.stringify({ name, config: SNK });
    const head = `POST /connectors HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const text = await waitFor('a rebalance to end', async () => {
      const answer = await target.raw(head + body);
      return answer.status !== 409 && answer.text;
    });
    expect(text).toMatch(new RegExp(`\r\nLocation: http://[^/]+/connectors/${name}\r\n`));
    await lists([name]);
  });

  test('connect-rest 21: a source has type source', async () => {
    expect((await create(fresh(), SRC)).json.type).toBe('source');
  });

  test('connect-rest 23, 29: names are trimmed, numbers are texts', async () => {
    const name = fresh();
    expect((await create(`  ${name}  `, SNK)).json).toMatchObject({ name, config: { name } });
    expect((await create(123, SNK)).json.name).toBe('123');
  });

  test('connect-rest 24: a space in a name', async () => {
    const name = fresh();
    const answer = await create(`${name} b`, SNK);
    expect(answer.headers.location).toMatch(new RegExp(`/connectors/${name}%20b$`));
    await target.poll(`/connectors/${name}%20b`, ({ status }) => status === 200);
    expect((await target.call('GET', `/connectors/${name}+b`)).status).toBe(404);
  });

  test('connect-rest 26, 27: no name', async () => {
    for (const body of [{ config: SNK }, { name: '  ', config: SNK }, { name: null, config: SNK }]) {
      expectError(
        await target.call('POST', '/connectors', body),
        400,
        'Connector configuration is invalid and contains the following 1 error(s):\nInvalid value  for configuration name: String may not be empty\nYou can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`',
      );
    }
  });

  test('connect-rest 28: control characters', async () => {
    expectError(
      await create('a\u0007b', SNK),
      400,
      /String may not contain control sequences but had the following ASCII chars: 7/,
    );
  });

  test('connect-rest 30, 31: config.name', async () => {
    expectError(
      await create('a', { name: 'b', ...SNK }),
      400,
      "Connector name configuration (b) doesn't match connector name in the URL (a)",
    );
    expectError(
      await create(' a ', { name: ' a ', ...SNK }),
      400,
      "Connector name configuration ( a ) doesn't match connector name in the URL (a)",
    );
  });

  test('connect-rest 32, 33: config.name null; the same name twice', async () => {
    const name = fresh();
    expect((await create(name, { name: null, ...SNK })).status).toBe(201);
    expectError(await create(name, SNK), 409, `Connector ${name} already exists`);
  });

  test('connect-rest 34, 35: no class, unknown class; nothing is created', async () => {
    const name = fresh();
    expectError(await create(name, {}), 400, `Connector config {name=${name}} contains no connector type`);
    expectError(
      await create(name, { 'connector.class': uniqueName('NoSuch') }),
      400,
      /Failed to find any class that implements Connector and which name matches NoSuch\w+, available connectors are: /,
    );
    expect((await target.call('GET', '/connectors')).json).not.toContain(name);
  });

  test('connect-rest 36: a required key', async () => {
    expectError(
      await create(fresh(), { 'connector.class': 'FileStreamSource' }),
      400,
      invalid('Missing required configuration "topic" which has no default value.'),
    );
  });

  test('connect-rest 37, 38: bad values', async () => {
    expectError(
      await create(fresh(), { ...SNK, 'tasks.max': 'abc', 'errors.tolerance': 'some' }),
      400,
      invalid(
        'Invalid value abc for configuration tasks.max: Not a number of type INT',
        'Invalid value null for configuration tasks.max: Value must be non-null',
        'Invalid value some for configuration errors.tolerance: String must be one of: none, all',
      ),
    );
    expectError(
      await create(fresh(), { ...SNK, 'tasks.max': '0' }),
      400,
      invalid('Invalid value 0 for configuration tasks.max: Value must be at least 1'),
    );
  });

  test('connect-rest 39, 40: no config, no body', async () => {
    for (const body of ['{"name":"a"}', '{"name":"a","config":null}'])
      expectError(
        await target.call('POST', '/connectors', body),
        500,
        'Cannot invoke "java.util.Map.get(Object)" because "connectorConfig" is null',
      );
    for (const body of ['', 'null', '  \n'])
      expectError(
        await target.call('POST', '/connectors', body),
        500,
        'Cannot invoke "org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest.name()" because "createRequest" is null',
      );
  });

  test.each([
    ['41', '{"name":"a"', 'Unexpected end-of-input: expected close marker for Object (start marker at '],
    ['42', "{'name':'a'}", "Unexpected character (''' (code 39)): was expecting double-quote to start field name"],
    ['43', '[]', `Cannot deserialize value of type \`${REQUEST}\` from Array value (token \`JsonToken.START_ARRAY\`)`],
    [
      '44',
      '{"name":"a","foo":1}',
      `Unrecognized field "foo" (class ${REQUEST}), not marked as ignorable (3 known properties: "config", "name", "initial_state")\n`,
    ],
    [
      '45',
      '{"name":"a","config":{"x":{"y":1}}}',
      'Cannot deserialize value of type `java.lang.String` from Object value (token `JsonToken.START_OBJECT`)',
      ` (through reference chain: ${REQUEST}["config"]->java.util.LinkedHashMap["x"])`,
    ],
    ['46', '{"name":"a","config":{}} trailing', "Unrecognized token 'trailing': was expecting (JSON String, Number, "],
    [
      '46',
      '{"name":"a","config":{}} 1',
      `Trailing token (of type VALUE_NUMBER_INT) found after value (bound as \`${REQUEST}\`)`,
    ],
    [
      '51',
      '{"name":"a","config":{},"initial_state":"bogus"}',
      `Cannot construct instance of \`${REQUEST}$InitialState\`, problem: No enum constant ${REQUEST}.InitialState.BOGUS\n`,
    ],
    [
      '§2.4',
      '"text"',
      `Cannot construct instance of \`${REQUEST}\` (although at least one Creator exists): no String-argument constructor/factory method to deserialize from String value ('text')`,
    ],
  ])('connect-rest %s: %s', async (_number, body, start, end = '') => {
    const answer = await target.call('POST', '/connectors', body);
    const { message } = answer.json as { message: string };
    expect([answer.status, message.slice(0, start.length)]).toEqual([500, start]);
    expect(message).toContain(
      '\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: ',
    );
    expect(message.slice(message.length - end.length)).toBe(end);
  });

  test('connect-rest 47: literal texts', async () => {
    const name = fresh();
    const numbers = '"i":1,"b":true,"d":1.50,"e":1e3,"n":12345678901234567890';
    // The last of a repeated key counts, whatever its name.
    const config = JSON.stringify(SNK).replace(/\}$/, `,${numbers},"__proto__":"o","__proto__":"p","constructor":"c"}`);
    expect((await target.call('POST', '/connectors', `{"name":"${name}","config":${config}}`)).status).toBe(201);
    const stored = await target.poll(path(name, '/config'), ({ status }) => status === 200);
    const texts = { i: '1', b: 'true', d: '1.50', e: '1e3', n: '12345678901234567890', constructor: 'c' };
    expect(stored.json).toEqual({ ...SNK, name, ...texts, ['__proto__']: 'p' });
  });

  test('connect-rest 48: a null value', async () => {
    expectError(
      await create(fresh(), { ...SNK, x: null }),
      400,
      invalid('Null value can not be supplied as the configuration value.'),
    );
    const answer = await create(fresh(), { ...SRC, file: null });
    expect([answer.status, answer.json.config.file ?? null]).toEqual([201, null]);
  });

  test('connect-rest 49: created stopped, then resumed', async () => {
    const name = fresh();
    const answer = await create(name, SNK, { initial_state: 'stopped' });
    expect([answer.status, answer.json.tasks]).toEqual([201, []]);
    await target.poll(path(name, '/status'), (a) => states(a).join() === 'STOPPED');
    expect((await target.mutate('PUT', path(name, '/resume'))).status).toBe(202);
    await target.poll(path(name, '/status'), (a) => states(a).join() === 'RUNNING,RUNNING');
  });

  test('connect-rest 50, 51: created paused; null is running', async () => {
    const name = fresh();
    await create(name, SNK, { initial_state: 'PAUSED' });
    const status = await target.poll(path(name, '/status'), (a) => states(a)[0] === 'PAUSED');
    expect(states(status)).not.toContain('RUNNING');
    const other = fresh();
    await create(other, SNK, { initial_state: null });
    await target.poll(path(other, '/status'), (a) => states(a)[0] === 'RUNNING');
  });
});

describe('read', () => {
  test('connect-rest 54 to 58, 62, 63, 66: lists, details, tasks, status', async () => {
    const name = fresh();
    await target.running(name, SNK);
    await lists([name]);

    const info = { name, config: { ...SNK, name }, tasks: [{ connector: name, task: 0 }], type: 'sink' };
    await target.poll(path(name), ({ json }) => json.tasks?.length === 1);
    expect((await target.call('GET', path(name))).json).toEqual(info);
    const expanded = (await target.call('GET', '/connectors?expand=status&expand=info')).json;
    expect(Object.keys(expanded[name] as object)).toEqual(['status', 'info']);
    const swapped = (await target.call('GET', '/connectors?expand=info&expand=status')).json;
    expect(Object.keys(swapped[name] as object)).toEqual(['info', 'status']);
    expect(expanded[name].info).toEqual(info);
    expect(Object.keys(expanded[name].status as object)).toEqual(['name', 'connector', 'tasks', 'type']);
    for (const query of ['expand=foo', 'expand=', 'expand', 'expand=info,status', 'expand=STATUS']) {
      expect((await target.call('GET', `/connectors?${query}`)).json).toEqual({ [name]: {} });
    }

    expect((await target.call('GET', path(name, '/tasks'))).json).toEqual([
      {
        id: { connector: name, task: 0 },
        config: expect.objectContaining({
          ...SNK,
          'task.class': 'org.apache.kafka.connect.file.FileStreamSinkTask',
        }) as object,
      },
    ]);
    const task = (await target.call('GET', path(name, '/tasks/0/status'))).json;
    expect(Object.keys(task as object)).toEqual(['id', 'state', 'worker_id', 'version']);
    expect(task).toMatchObject({ id: 0, state: 'RUNNING', worker_id: expect.stringMatching(/^.+:\d+$/) as string });
  });

  test('connect-rest 64: a placeholder stays', async () => {
    const name = fresh();
    const config = { ...SNK, note: '${env:X}' };
    expect((await create(name, config)).status).toBe(201);
    await lists([name]);
    expect((await target.call('GET', path(name, '/config'))).json).toEqual({ ...config, name });
  });

  test('connect-rest 57: no connectors', async () => {
    expect((await target.call('GET', '/connectors?expand=info')).text).toBe('{}');
  });

  test('connect-rest 59 to 61: unknown names', async () => {
    for (const rest of ['', '/config', '/tasks']) {
      expectError(await target.call('GET', `/connectors/none${rest}`), 404, 'Connector none not found');
    }
    expectError(await target.call('GET', '/connectors/none/status'), 404, 'No status found for connector none');
    expectError(await target.call('GET', '/connectors/none/tasks/0/status'), 404, 'No status found for task none-0');
  });
});

describe('update', () => {
  test('connect-rest 68, 72: PUT config creates, then replaces', async () => {
    const name = fresh();
    const first = await target.mutate('PUT', path(name, '/config'), SNK);
    expect([first.status, first.headers.location?.endsWith(`/connectors/${name}`)]).toEqual([201, true]);
    const config = { 'connector.class': 'FileStreamSink', topics: `${topic}-other` };
    const second = await target.mutate('PUT', path(name, '/config'), config);
    expect([second.status, second.headers.location]).toEqual([200, undefined]);
    expect(second.json.config).toEqual({ ...config, name });
    const stored = await target.poll(path(name, '/config'), ({ json }) => json.topics === config.topics);
    expect(stored.json).toEqual({ ...config, name });
  });

  test('connect-rest 69, 70, 75: rejected bodies', async () => {
    expectError(
      await target.call('PUT', '/connectors/p/config', { ...SNK, name: 'q' }),
      400,
      "Connector name configuration (q) doesn't match connector name in the URL (p)",
    );
    for (const [body, message] of [
      [
        '{"name":"p","config":{}}',
        /^Cannot deserialize value of type `java\.lang\.String` from Object value \(token `JsonToken\.START_OBJECT`\)\n.* \(through reference chain: java\.util\.LinkedHashMap\["config"\]\)$/,
      ],
      ['null', 'Cannot invoke "java.util.Map.get(Object)" because "connectorConfig" is null'],
      [
        '[]',
        /^Cannot deserialize value of type `java\.util\.LinkedHashMap<java\.lang\.String,java\.lang\.String>` from Array value/,
      ],
    ] as const)
      expectError(await target.call('PUT', '/connectors/p/config', body), 500, message);
  });

  test('connect-rest 71: the path segment is not trimmed', async () => {
    const name = ` ${fresh()} `;
    expect((await target.mutate('PUT', path(name, '/config'), SNK)).json.name).toBe(name);
    await lists([name]);
  });

  test('connect-rest 73: a paused connector stays paused', async () => {
    const name = fresh();
    await target.running(name, SNK);
    await target.mutate('PUT', path(name, '/pause'));
    await target.poll(path(name, '/status'), (a) => states(a).join() === 'PAUSED,PAUSED');
    const config = { ...SNK, 'errors.log.enable': 'true' };
    expect((await target.mutate('PUT', path(name, '/config'), config)).status).toBe(200);
    await target.poll(path(name, '/config'), ({ json }) => json['errors.log.enable'] === 'true');
    await target.poll(path(name, '/status'), (a) => states(a).join() === 'PAUSED,PAUSED');
    // The tasks get it when the connector is resumed.
    await target.mutate('PUT', path(name, '/resume'));
    await target.poll(
      path(name, '/tasks'),
      ({ json }) => (json as { config?: Record<string, string> }[])[0]?.config?.['errors.log.enable'] === 'true',
    );
    await target.poll(path(name, '/status'), (a) => states(a).join() === 'RUNNING,RUNNING');
  });

  oursAlone('connect-rest R14: reads directly after an update are answered', async () => {
    const name = fresh();
    await target.running(name, SNK);
    const config = { ...SNK, 'errors.log.enable': 'true' };
    await target.mutate('PUT', path(name, '/config'), config);
    for (const rest of ['', '/config', '/tasks', '/status']) {
      expect((await target.call('GET', path(name, rest))).status).toBe(200);
    }
    expect((await target.call('GET', path(name, '/config'))).json).toEqual({ ...config, name });
  });

  test('connect-rest 74: from source to sink', async () => {
    const name = fresh();
    await target.running(name, SRC);
    expect((await target.mutate('PUT', path(name, '/config'), SNK)).json.type).toBe('sink');
  });
});

describe('lifecycle', () => {
  test('connect-rest 82, 83: pause and resume', async () => {
    const name = fresh();
    await target.running(name, SNK);
    for (const [action, wanted] of [
      ['pause', 'PAUSED,PAUSED'],
      ['resume', 'RUNNING,RUNNING'],
    ] as const) {
      for (let i = 0; i < 2; i++) {
        const answer = await target.mutate('PUT', path(name, `/${action}`));
        expect([answer.status, answer.headers['content-length'], answer.text]).toEqual([202, '0', '']);
      }
      await target.poll(path(name, '/status'), (a) => states(a).join() === wanted);
    }
  });

  test('connect-rest 84, 93, 95, 96: unknown names', async () => {
    for (const action of ['pause', 'resume', 'stop']) {
      expectError(await target.mutate('PUT', `/connectors/none/${action}`), 404, 'Unknown connector none');
    }
    for (const action of ['restart', 'restart?includeTasks=true', 'tasks/0/restart']) {
      expectError(await target.mutate('POST', `/connectors/none/${action}`), 404, 'Unknown connector: none');
    }
    expectError(await target.mutate('DELETE', '/connectors/none'), 404, 'Connector none not found');
  });

  test('connect-rest 85, 86, 94: stop, then pause, then resume', async () => {
    const name = fresh();
    await target.running(name, SNK);
    for (let i = 0; i < 2; i++) {
      const { status, headers } = await target.mutate('PUT', path(name, '/stop'));
      expect([status, headers['content-length'], headers['content-type']]).toEqual([204, undefined, undefined]);
    }
    await target.poll(path(name, '/status'), (a) => states(a).join() === 'STOPPED');
    await target.poll(path(name, '/tasks'), ({ text }) => text === '[]');
    expectError(await target.call('GET', path(name, '/tasks/0/status')), 404, `No status found for task ${name}-0`);
    expect((await target.mutate('POST', path(name, '/restart'))).status).toBe(204);
    await target.poll(path(name, '/status'), (a) => states(a).join() === 'STOPPED');
    expect((await target.mutate('PUT', path(name, '/pause'))).status).toBe(202);
    await target.poll(path(name, '/status'), (a) => states(a).join() === 'PAUSED');
    expect((await target.mutate('PUT', path(name, '/resume'))).status).toBe(202);
    await target.poll(path(name, '/status'), (a) => states(a).join() === 'RUNNING,RUNNING');
  });

  ours('connect-rest R3: a task restart of a stopped connector is 404', async () => {
    const name = fresh();
    await target.running(name, SNK);
    await target.mutate('PUT', path(name, '/stop'));
    await target.poll(path(name, '/status'), (a) => states(a).join() === 'STOPPED');
    expectError(await target.call('POST', path(name, '/tasks/0/restart')), 404, `Unknown task: ${name}-0`);
  });

  test('connect-rest 88 to 90, 92: restart', async () => {
    const name = fresh();
    await target.running(name, SNK);
    // First, since nothing signals the end of an asynchronous restart: its effect may not have begun when the states
    // are
    // read. The leader answers, and may be the last to know that all is well. While nothing has failed, the request
    // changes nothing.
    await waitFor('the leader to find nothing to restart', async () => {
      const { status, json } = await target.mutate('POST', path(name, '/restart?onlyFailed=TRUE'));
      expect(status).toBe(202);
      return json.connector.state === 'RUNNING' && json.tasks[0]?.state === 'RUNNING';
    });
    for (const query of ['', '?includeTasks=foo', '?includeTasks=', '?includeTasks=1&onlyFailed=yes']) {
      const answer = await target.mutate('POST', path(name, `/restart${query}`));
      expect([answer.status, answer.text]).toEqual([204, '']);
      await target.poll(path(name, '/status'), (a) => states(a).join() === 'RUNNING,RUNNING');
    }
    const all = await target.mutate('POST', path(name, '/restart?includeTasks=true'));
    expect([all.status, all.json.connector.state, all.json.tasks[0].state]).toEqual([202, 'RESTARTING', 'RESTARTING']);
    expect(Object.keys(all.json as object)).toEqual(['name', 'connector', 'tasks', 'type']);
    await target.poll(path(name, '/status'), (a) => states(a).join() === 'RUNNING,RUNNING');
  });

  test('connect-rest 95: restart of tasks', async () => {
    const name = fresh();
    await target.running(name, SNK);
    expect((await target.mutate('POST', path(name, '/tasks/0/restart'))).status).toBe(204);
    await target.poll(path(name, '/status'), (a) => states(a).join() === 'RUNNING,RUNNING');
    expectError(await target.mutate('POST', path(name, '/tasks/7/restart')), 404, `Unknown task: ${name}-7`);
  });

  test('connect-rest 96, 97: delete, and create again', async () => {
    const name = fresh();
    await target.running(name, SNK);
    expect((await target.mutate('DELETE', path(name))).status).toBe(204);
    await lists([]);
    await target.poll(path(name, '/status'), ({ status }) => status === 404);
    expectError(await target.mutate('DELETE', path(name)), 404, `Connector ${name} not found`);
    await target.running(name, SNK);
  });

  test('connect-rest 82, 83: action routes accept any JSON body', async () => {
    const name = fresh();
    await target.running(name, SNK);
    for (const body of ['null', '""', '{}', '{"a":', '[1]']) {
      expect((await target.mutate('PUT', path(name, '/pause'), body)).status).toBe(202);
      expect((await target.mutate('PUT', path(name, '/resume'), body)).status).toBe(202);
    }
  });
});

describe('internal endpoint', () => {
  test('connect-rest 158: unsigned and wrongly signed task configurations', async () => {
    const name = fresh();
    await target.running(name, SNK);
    expectError(
      await target.call('POST', path(name, '/tasks'), '[]'),
      400,
      'Internal request missing required signature',
    );
    expectError(
      await target.call('POST', path(name, '/tasks'), '[]', {
        'X-Connect-Authorization': Buffer.from('wrong').toString('base64'),
        'X-Connect-Request-Signature-Algorithm': 'HmacSHA256',
      }),
      403,
      'Internal request contained invalid signature.',
    );
  });
});

// Last, because Java stores a connector that it can neither address nor delete.
describe('names with a slash', () => {
  test('connect-rest 25: a slash in a name', async () => {
    const name = `${fresh()}/b`;
    expect((await create(name, SNK)).status).toBe(201);
    await target.poll('/connectors', ({ json }) => (json as string[]).includes(name));
  });

  ours('connect-rest 17, R4, R5: a slash in a name, addressable', async () => {
    for (const name of [`${fresh()}/b%25`, `${fresh()}\\b`, `${fresh()}#?&;y|z`]) {
      const created = await create(name, SNK);
      expect(created.status).toBe(201);
      const found = await target.poll(new URL(created.headers.location as string).pathname, (a) => a.status === 200);
      expect(found.json.name).toBe(name);
    }
  });
});
