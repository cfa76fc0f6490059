/** connect-rest §7, cases 76 to 81 and 99 to 112, as a client sees them: PATCH config, topics, offsets. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { expectError, ours, states, Target, type Answer } from './client';

let target: Target;
beforeAll(async () => {
  // Stopped tasks have enough time to store their offsets.
  target = await Target.open({ 'task.shutdown.graceful.timeout.ms': '30000' });
});
afterAll(async () => {
  await target.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => target.removeAll());

const folder = mkdtempSync(join(tmpdir(), 'millrace-conformance-'));
const LINES = ['one', 'two', 'three'];
const entry = (partition: unknown, offset?: unknown): object => ({
  partition,
  ...(offset === undefined ? {} : { offset }),
});
const altered = { message: 'The offsets for this connector have been altered successfully' };
const reset = { message: 'The offsets for this connector have been reset successfully' };

async function create(name: string, config: Record<string, string>, state = 'STOPPED'): Promise<void> {
  const answer = await target.mutate('POST', '/connectors', { name, config, initial_state: state });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  if (state === 'STOPPED') await stopped(name);
}
async function stopped(name: string): Promise<void> {
  await target.poll(`/connectors/${name}/status`, (answer) => states(answer).join() === 'STOPPED');
}
/** A source of three lines, with a topic of its own. */
function source(name: string, overrides: Record<string, string> = {}): Record<string, string> {
  const file = join(folder, `${name}.in`);
  writeFileSync(file, LINES.map((line) => `${line}\n`).join(''));
  return { 'connector.class': 'FileStreamSource', topic: `${name}-topic`, file, ...overrides };
}
/** A sink of that topic. */
const sink = (name: string, of: string): Record<string, string> => ({
  'connector.class': 'FileStreamSink',
  topics: `${of}-topic`,
  file: join(folder, `${name}.out`),
});
/** Once the sink has written these lines, in this order. */
async function written(name: string, lines: readonly string[]): Promise<void> {
  const file = join(folder, `${name}.out`);
  const text = lines.map((line) => `${line}\n`).join('');
  await waitFor(`${lines.length} lines`, () => existsSync(file) && readFileSync(file, 'utf8') === text, {
    detail: () => (existsSync(file) ? readFileSync(file, 'utf8') : 'no file'),
  });
}
const alter = (name: string, ...offsets: unknown[]): Promise<Answer> =>
  target.mutate('PATCH', `/connectors/${name}/offsets`, { offsets });
/** The offsets once there are some, or none. */
async function offsets(name: string, some = true): Promise<unknown[]> {
  const answer = await target.poll(
    `/connectors/${name}/offsets`,
    ({ status, json }) => status === 200 && json.offsets.length > 0 === some,
  );
  return answer.json.offsets as unknown[];
}

describe('PATCH config', () => {
  const SNK = { 'connector.class': 'FileStreamSink', topics: uniqueName('conformance') };

  test('connect-rest 76, 77, 79: sets, removes, leaves', async () => {
    const name = uniqueName('c');
    await create(name, SNK);
    const patch = (body: object): Promise<Answer> => target.mutate('PATCH', `/connectors/${name}/config`, body);
    const changed = await patch({ 'tasks.max': 2, k: 'v' });
    expect([changed.status, changed.headers.location, changed.json]).toEqual([
      200,
      undefined,
      { name, config: { ...SNK, name, 'tasks.max': '2', k: 'v' }, tasks: [], type: 'sink' },
    ]);
    expect((await patch({ k: null, none: null })).json.config).toEqual({ ...SNK, name, 'tasks.max': '2' });
    expect((await patch({})).status).toBe(200);
    // Numbers keep their text.
    expect((await target.mutate('PATCH', `/connectors/${name}/config`, '{"k":1.50}')).json.config.k).toBe('1.50');
    await patch({ k: null });
    // A follower may not have read the last of them yet.
    const stored = await target.poll(`/connectors/${name}/config`, ({ json }) => json['tasks.max'] && !json.k);
    expect(stored.json).toEqual({ ...SNK, name, 'tasks.max': '2' });
  });

  test('connect-rest 76: a patched connector runs with the new config', async () => {
    const name = uniqueName('c');
    await target.running(name, SNK);
    expect((await target.mutate('PATCH', `/connectors/${name}/config`, { 'tasks.max': '2' })).status).toBe(200);
    await target.poll(`/connectors/${name}/status`, (a) => states(a).join() === 'RUNNING,RUNNING,RUNNING');
  });

  test('connect-rest 78: the merged config must be valid, otherwise nothing is stored', async () => {
    const name = uniqueName('c');
    await create(name, SNK);
    expectError(
      await target.mutate('PATCH', `/connectors/${name}/config`, { topics: null }),
      400,
      /\nMust configure one of topics or topics\.regex\n/,
    );
    expect((await target.call('GET', `/connectors/${name}/config`)).json).toEqual({ ...SNK, name });
  });

  test('connect-rest 80, 81: unknown connectors, other types', async () => {
    expectError(await target.mutate('PATCH', '/connectors/none/config', {}), 404, 'Connector none not found');
    const type = { 'Content-Type': 'application/merge-patch+json' };
    expect((await target.call('PATCH', '/connectors/none/config', '{}', type)).status).toBe(415);
    expectError(
      await target.call('PATCH', '/connectors/none/config', '[]'),
      500,
      /^Cannot deserialize value of type `java\.util\.LinkedHashMap<java\.lang\.String,java\.lang\.String>`/,
    );
  });

  ours('connect-rest R10: an empty patch', async () => {
    for (const body of ['null', ''])
      expectError(
        await target.call('PATCH', '/connectors/none/config', body),
        400,
        'A patch needs a JSON object of configuration keys; null removes a key',
      );
  });
});

describe('topics', () => {
  test('connect-rest 99: topics that tasks write and read; reset, and used again', async () => {
    const [from, to] = [uniqueName('c'), uniqueName('c')];
    const config = source(from);
    await create(from, config, 'RUNNING');
    await create(to, sink(to, from), 'RUNNING');
    const lists = (name: string, topics: string[]) => async (): Promise<void> => {
      const answer = await target.poll(
        `/connectors/${name}/topics`,
        ({ json }) => json[name].topics.length === topics.length,
      );
      expect(answer.json).toEqual({ [name]: { topics } });
    };
    await lists(from, [`${from}-topic`])();
    await lists(to, [`${from}-topic`])();
    // Otherwise the next line may recreate the topic before the check.
    expect((await target.mutate('PUT', `/connectors/${to}/pause`)).status).toBe(202);
    await target.poll(`/connectors/${to}/status`, (a) => states(a).join() === 'PAUSED,PAUSED');
    const answer = await target.call('PUT', `/connectors/${to}/topics/reset`);
    expect([answer.status, answer.headers['content-length'], answer.text]).toEqual([202, '0', '']);
    await lists(to, [])();
    await lists(from, [`${from}-topic`])();
    expect((await target.mutate('PUT', `/connectors/${to}/resume`)).status).toBe(202);
    writeFileSync(config.file as string, 'four\n', { flag: 'a' });
    await lists(to, [`${from}-topic`])();
    await target.mutate('DELETE', `/connectors/${to}`);
    await lists(to, [])();
  });

  test('connect-rest 100: of an unknown connector', async () => {
    const answer = await target.call('GET', '/connectors/none/topics');
    expect([answer.status, answer.text]).toEqual([200, '{"none":{"topics":[]}}']);
    expect((await target.call('PUT', '/connectors/none/topics/reset')).status).toBe(202);
  });
});

describe('offsets', () => {
  test('connect-rest 59, 104: unknown connectors, and nothing to alter', async () => {
    for (const method of ['GET', 'DELETE'])
      expectError(await target.mutate(method, '/connectors/none/offsets'), 404, 'Connector none not found');
    expectError(await alter('none', entry({})), 404, 'Connector none not found');
    for (const body of [{}, { offsets: [] }, { offsets: null }])
      expectError(
        await target.call('PATCH', '/connectors/none/offsets', body),
        400,
        'Partitions / offsets need to be provided for an alter offsets request',
      );
  });

  const entities = 'org.apache.kafka.connect.runtime.rest.entities';
  const list = `Cannot deserialize value of type \`java.util.ArrayList<${entities}.ConnectorOffset>\` from`;
  const noCreator = (type: string): string =>
    `Cannot construct instance of \`${type}\` (although at least one Creator exists)`;
  const map = 'Cannot deserialize value of type `java.util.LinkedHashMap<java.lang.String,java.lang.Object>` from';
  test.each([
    ['{"offsets":{}}', `${list} Object value`],
    ['{"offsets":"x"}', `${list} String value (token \`JsonToken.VALUE_STRING\`)`],
    ['{"offsets":true}', `${list} Boolean value (token \`JsonToken.VALUE_TRUE\`)`],
    [
      '{"offsets":[123]}',
      `${noCreator(`${entities}.ConnectorOffset`)}: no int/Int-argument constructor/factory method to deserialize from Number value (123)`,
    ],
    [
      '{"offsets":[false]}',
      `${noCreator(`${entities}.ConnectorOffset`)}: no boolean/Boolean-argument constructor/factory method to deserialize from boolean value (false)`,
    ],
    [
      '{"offsets":["x"]}',
      `${noCreator(`${entities}.ConnectorOffset`)}: no String-argument constructor/factory method to deserialize from String value ('x')`,
    ],
    ['{"offsets":[[]]}', `Cannot deserialize value of type \`${entities}.ConnectorOffset\` from Array value`],
    ['{"offsets":[""]}', `Cannot coerce empty String ("") to \`${entities}.ConnectorOffset\` value`],
    [
      '{"offsets":[{"partition":"x"}]}',
      `${noCreator('java.util.LinkedHashMap')}: no String-argument constructor/factory method to deserialize from String value ('x')`,
    ],
    ['{"offsets":[{"partition":""}]}', 'Cannot coerce empty String ("") to element of `java.util.LinkedHashMap`'],
    ['{"offsets":[{"offset":1.5}]}', `${map} Floating-point value (token \`JsonToken.VALUE_NUMBER_FLOAT\`)`],
    ['{"offsets":[{"offset":3}]}', `${map} Integer value (token \`JsonToken.VALUE_NUMBER_INT\`)`],
    [
      '{"key":[]}',
      `Unrecognized field "key" (class ${entities}.ConnectorOffsets), not marked as ignorable (one known property: "offsets")`,
    ],
    [
      '{"offsets":[{"a":1}]}',
      `Unrecognized field "a" (class ${entities}.ConnectorOffset), not marked as ignorable (2 known properties: "partition", "offset")`,
    ],
    ['[]', `Cannot deserialize value of type \`${entities}.ConnectorOffsets\` from Array value`],
    ['{"offsets":[{"partition":{}}]', 'Unexpected end-of-input'],
  ])('connect-rest 111: %s is not a list of entries', async (body, start) => {
    const answer = await target.call('PATCH', '/connectors/none/offsets', body);
    expectError(answer, 500, /./);
    expect((answer.json as { message: string }).message.slice(0, start.length)).toBe(start);
  });

  test('connect-rest 111: no body, and the position of a mismatch', async () => {
    const none = `Cannot invoke "${entities}.ConnectorOffsets.offsets()" because "offsets" is null`;
    expectError(await target.call('PATCH', '/connectors/none/offsets', 'null'), 500, none);
    expectError(await target.call('PATCH', '/connectors/none/offsets'), 500, none);
    expectError(
      await target.call('PATCH', '/connectors/none/offsets', '{"offsets":[{},{"partition":1}]}'),
      500,
      /line: 1, column: 29\] \(through reference chain: \S+\.ConnectorOffsets\["offsets"\]->java\.util\.ArrayList\[1\]->\S+\.ConnectorOffset\["partition"\]\)$/,
    );
  });

  ours('connect-rest R10: null as an entry', async () => {
    expectError(await alter('none', null), 400, /may not be null/);
  });

  test('connect-rest 103: rejected unless the connector is stopped', async () => {
    const name = uniqueName('c');
    await target.running(name, { 'connector.class': 'FileStreamSink', topics: uniqueName('conformance') });
    const refusal = `Connectors must be in the STOPPED state before their offsets can be modified. This can be done for the specified connector by issuing a 'PUT' request to the '/connectors/${name}/stop' endpoint`;
    const both = async (): Promise<void> => {
      expectError(await alter(name, entry({ kafka_topic: 't', kafka_partition: 0 })), 400, refusal);
      expectError(await target.mutate('DELETE', `/connectors/${name}/offsets`), 400, refusal);
    };
    await both();
    expect((await target.call('PUT', `/connectors/${name}/pause`)).status).toBe(202);
    await target.poll(`/connectors/${name}/status`, (a) => states(a).join() === 'PAUSED,PAUSED');
    await both();
    expect((await target.mutate('PUT', `/connectors/${name}/stop`)).status).toBe(204);
    await stopped(name);
    // Without tasks, but no longer stopped.
    expect((await target.call('PUT', `/connectors/${name}/pause`)).status).toBe(202);
    await target.poll(`/connectors/${name}/status`, (a) => states(a).join() === 'PAUSED');
    await both();
  });

  test('connect-rest 105: an offset contains only primitive values, even if the connector accepts others', async () => {
    const name = uniqueName('c');
    await create(name, source(name));
    const partition = { filename: join(folder, `${name}.in`) };
    for (const [of, offset, field, type] of [
      [partition, { position: { a: 1 } }, 'position', 'MAP'],
      [partition, { position: [1] }, 'position', 'ARRAY'],
      [partition, { other: [{}] }, 'other', 'ARRAY'],
      [{ other: {} }, { position: 1 }, 'other', 'MAP'],
    ] as const)
      expectError(
        await alter(name, entry(of, offset)),
        500,
        `Offsets may only contain primitive types as values, but field ${field} contains ${type}`,
      );
    // The last entry of a partition counts.
    const answer = await alter(name, entry(partition, { position: {} }), entry(partition, { position: 2 }));
    expect([answer.status, answer.json]).toEqual([200, altered]);
  });

  test('connect-rest 102, 105 to 107: offsets of a source are read, altered, and reset in part and completely', async () => {
    const name = uniqueName('c');
    await create(name, source(name));
    const empty = await target.call('GET', `/connectors/${name}/offsets`);
    expect([empty.status, empty.text]).toEqual([200, '{"offsets":[]}']);
    const a = entry({ filename: '/a' }, { position: 5 });
    const b = entry({ filename: '/b' }, { position: Number.MAX_SAFE_INTEGER });
    expect((await alter(name, a, b)).json).toEqual(altered);
    expect(await offsets(name)).toEqual(expect.arrayContaining([a, b]));
    expect((await alter(name, entry({ filename: '/b' }), {})).json).toEqual(altered);
    const left = await target.poll(`/connectors/${name}/offsets`, ({ json }) => json.offsets.length === 1);
    expect(left.json).toEqual({ offsets: [a] });
    for (let i = 0; i < 2; i++) {
      const answer = await target.mutate('DELETE', `/connectors/${name}/offsets`);
      expect([answer.status, answer.json]).toEqual([200, reset]);
    }
    await offsets(name, false);
  });

  test('connect-rest §2.6: offsets that a source rejects are not stored', async () => {
    const name = uniqueName('c');
    await create(name, source(name));
    const partition = { filename: '/a' };
    for (const [given, message] of [
      [
        entry(partition, { position: -5 }),
        "The value for the 'position' key in the offset should be a non-negative value",
      ],
      [entry({ f: '/a' }, { position: 5 }), "Partition objects should contain the key 'filename'"],
      [entry(null, { position: 5 }), 'Partition objects cannot be null'],
      [
        entry(partition, { position: 5, m: {} }),
        'Offsets may only contain primitive types as values, but field m contains MAP',
      ],
      [
        entry({ ...partition, l: [1] }, { position: 5 }),
        'Offsets may only contain primitive types as values, but field l contains ARRAY',
      ],
    ] as const)
      expectError(await alter(name, entry({ filename: '/good' }, { position: 1 }), given), 500, message);
    expect((await target.call('GET', `/connectors/${name}/offsets`)).json).toEqual({ offsets: [] });
  });

  test('connect-rest 97, 105, connect-runtime 62: a source resumes at the altered offset', async () => {
    const [from, to] = [uniqueName('c'), uniqueName('c')];
    const config = source(from);
    const partition = { filename: config.file };
    await target.running(from, config);
    await target.poll(`/connectors/${from}/topics`, ({ json }) => json[from].topics.length === 1);
    expect((await target.mutate('PUT', `/connectors/${from}/stop`)).status).toBe(204);
    await stopped(from);
    expect(await offsets(from)).toEqual([entry(partition, { position: 14 })]);
    // Deleted and created again, it still has them.
    await target.mutate('DELETE', `/connectors/${from}`);
    await target.poll(`/connectors/${from}/status`, ({ status }) => status === 404);
    await create(from, config);
    expect(await offsets(from)).toEqual([entry(partition, { position: 14 })]);
    expect((await alter(from, entry(partition, { position: 8 }))).json).toEqual(altered);
    expect((await target.call('PUT', `/connectors/${from}/resume`)).status).toBe(202);
    await target.poll(`/connectors/${from}/status`, (a) => states(a).join() === 'RUNNING,RUNNING');
    await create(to, sink(to, from), 'RUNNING');
    await written(to, [...LINES, 'three']);
  });

  test('connect-rest 109, 110, 112: offsets of a sink are read, altered, and reset in part and completely', async () => {
    const [from, to] = [uniqueName('c'), uniqueName('c')];
    const partition = { kafka_topic: `${from}-topic`, kafka_partition: 0 };
    await target.running(from, source(from));
    await create(to, sink(to, from), 'RUNNING');
    await written(to, LINES);
    expect((await target.mutate('PUT', `/connectors/${to}/stop`)).status).toBe(204);
    await stopped(to);
    expect(await offsets(to)).toEqual([entry(partition, { kafka_offset: 3 })]);
    const again = async (...entries: unknown[]): Promise<void> => {
      const answer = await alter(to, ...entries);
      expect([answer.status, answer.json]).toEqual([200, altered]);
    };
    await again(entry(partition, { kafka_offset: 1 }));
    expect(await offsets(to)).toEqual([entry(partition, { kafka_offset: 1 })]);
    await again(entry({ ...partition, kafka_partition: '0' }, { kafka_offset: '10' }));
    expect(await offsets(to)).toEqual([entry(partition, { kafka_offset: 10 })]);
    await again(entry(partition));
    await offsets(to, false);

    for (const [given, message] of [
      [{}, 'The partition for a sink connector offset cannot be null or missing'],
      [
        entry({}),
        "The partition for a sink connector offset must contain the keys 'kafka_topic' and 'kafka_partition'",
      ],
      [entry({ ...partition, kafka_topic: null }), 'Kafka topic names must be valid strings and may not be null'],
      [entry({ ...partition, kafka_partition: null }), 'Kafka partitions must be valid numbers and may not be null'],
      [
        entry({ ...partition, kafka_partition: 'x' }),
        "Failed to parse the following Kafka partition value in the provided offsets: 'x'. Partition values for sink connectors need to be integers.",
      ],
      [entry(partition, {}), "The offset for a sink connector should either be null or contain the key 'kafka_offset'"],
      [
        entry(partition, { kafka_offset: 'x' }),
        "Failed to parse the following Kafka offset value in the provided offsets: 'x'. Offset values for sink connectors need to be integers.",
      ],
      [
        entry(partition, { kafka_offset: null }),
        "Failed to parse the following Kafka offset value in the provided offsets: 'null'. Offset values for sink connectors need to be integers.",
      ],
    ] as const)
      expectError(await alter(to, entry(partition, { kafka_offset: 2 }), given), 400, message);
    await offsets(to, false);

    for (let i = 0; i < 2; i++)
      expect((await target.mutate('DELETE', `/connectors/${to}/offsets`)).json).toEqual(reset);
    // From the beginning of the topic.
    expect((await target.call('PUT', `/connectors/${to}/resume`)).status).toBe(202);
    await written(to, [...LINES, ...LINES]);
  });

  ours('connect-rest R10: partitions that do not exist, and offsets below zero, are the client’s error', async () => {
    const [name, topic] = [uniqueName('c'), uniqueName('conformance')];
    await create(name, { 'connector.class': 'FileStreamSink', topics: topic });
    expectError(
      await alter(name, entry({ kafka_topic: topic, kafka_partition: 0 }, { kafka_offset: 1 })),
      400,
      `Kafka partition ${topic}-0 in the provided offsets does not exist: there is no such topic`,
    );
    expectError(
      await alter(name, entry({ kafka_topic: topic, kafka_partition: 0 }, { kafka_offset: -1 })),
      400,
      'The offset -1 cannot be stored: it must be at least 0 and below 2^53',
    );
  });
});
