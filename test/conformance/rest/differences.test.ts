/** Answers without a case in the contract that differ from Java's, which docs/compatibility.md declares. */
import { uniqueName } from '../../helpers/unique-name';
import { expectError, ours, Target, type Answer } from './client';

let target: Target;
beforeAll(async () => {
  target = await Target.open();
});
afterAll(() => target.close());
afterEach(() => target.removeAll());

const SRC = { 'connector.class': 'FileStreamSource', topic: uniqueName('conformance') };

async function updated(name: string, config: Readonly<Record<string, string | null>>): Promise<Answer> {
  expect((await target.mutate('POST', '/connectors', { name, config: SRC })).status).toBe(201);
  return await target.mutate('PUT', `/connectors/${name}/config`, config);
}
const stored = async (name: string): Promise<unknown> => (await target.call('GET', `/connectors/${name}/config`)).json;

for (const body of ['', 'null'])
  ours(`a patch with the body "${body}" is 400, whether or not the connector exists`, async () => {
    const message = 'A patch needs a JSON object of configuration keys; null removes a key';
    expectError(await target.call('PATCH', '/connectors/none/config', body), 400, message);
  });

for (const [state, what] of [
  ['[]', 'Array value (token `JsonToken.START_ARRAY`)'],
  ['{}', 'Object value (token `JsonToken.START_OBJECT`)'],
] as const)
  ours(`initial_state=${state} is 500 in the words for any text`, async () => {
    const { status, json } = await target.call(
      'POST',
      '/connectors',
      `{"name":"a","config":{},"initial_state":${state}}`,
    );
    expect([status, json.message]).toEqual([
      500,
      expect.stringContaining(`Cannot deserialize value of type \`java.lang.String\` from ${what}`),
    ]);
  });

ours('a connector whose name has braces is created with 201 and its Location', async () => {
  const name = `${uniqueName('b')}{x}`;
  const { status, headers } = await target.mutate('POST', '/connectors', { name, config: SRC });
  const path = `/connectors/${encodeURIComponent(name)}`;
  expect([status, headers.location]).toEqual([201, `http://${target.url.host}${path}`]);
  expect((await target.call('GET', path)).json).toMatchObject({ name });
});

ours('null for a required key in an update is a missing value, and the config stays', async () => {
  const name = uniqueName('c');
  expectError(
    await updated(name, { ...SRC, topic: null }),
    400,
    /Missing required configuration "topic" which has no default value\./,
  );
  expect(await stored(name)).toEqual({ ...SRC, name });
});

ours('null for an optional key in an update is not stored', async () => {
  const name = uniqueName('c');
  expect((await updated(name, { ...SRC, 'batch.size': null })).status).toBe(200);
  expect(await stored(name)).toEqual({ ...SRC, name });
});

ours('an abstract class of Java as a converter could not be found', async () => {
  const converter = 'org.apache.kafka.connect.storage.Converter';
  const { status, json } = await updated(uniqueName('c'), { ...SRC, 'value.converter': converter });
  expect([status, json.message]).toEqual([
    400,
    expect.stringContaining(
      `Invalid value ${converter} for configuration value.converter: Class ${converter} could not be found.`,
    ),
  ]);
});

ours('a key that is likely a typing error has a warning beside the members of Java', async () => {
  const config = { ...SRC, name: 'a', 'erors.tolerance': 'all' };
  const { status, json } = await target.call('PUT', '/connector-plugins/FileStreamSource/config/validate', config);
  expect([status, json.error_count, Object.keys(json)]).toEqual([
    200,
    0,
    ['name', 'error_count', 'groups', 'configs', 'warnings'],
  ]);
  expect(json.warnings).toEqual([
    {
      key: 'erors.tolerance',
      meant: 'errors.tolerance',
      message: '"erors.tolerance" is not a known key; did you mean "errors.tolerance"?',
    },
  ]);
});

ours('definitions have hints for forms only if they are requested', async () => {
  const path = '/connector-plugins/FileStreamSink/config';
  const hintsOf = (definitions: readonly { readonly name: string; readonly hints?: unknown }[]): unknown =>
    definitions.find(({ name }) => name === 'errors.tolerance')?.hints;
  const validated = async (query: string): Promise<unknown> => {
    const config = { name: 'a', 'connector.class': 'FileStreamSink', topics: 't' };
    const { json } = await target.call('PUT', `${path}/validate${query}`, config);
    return hintsOf((json.configs as { definition: { name: string } }[]).map(({ definition }) => definition));
  };
  const listed = async (query: string): Promise<unknown> =>
    hintsOf((await target.call('GET', path + query)).json as unknown as { name: string }[]);
  const hints = { valid_values: ['none', 'all'] };
  expect([await listed('?hints=true'), await validated('?hints=true')]).toEqual([hints, hints]);
  expect([await listed(''), await validated(''), await listed('?hints=false')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

ours('a class that is likely a typing error is reported with the one that was meant', async () => {
  const meant = 'org.apache.kafka.connect.json.JsonConverter';
  const { status, json } = await updated(uniqueName('c'), { ...SRC, 'value.converter': 'JsonConvertor' });
  expect([status, json.message]).toEqual([
    400,
    expect.stringContaining(`Class JsonConvertor could not be found. Did you mean ${meant}?`),
  ]);
  expectError(
    await target.mutate('POST', '/connectors', {
      name: uniqueName('c'),
      config: { 'connector.class': 'FileStreamSurce' },
    }),
    400,
    /matches FileStreamSurce\. Did you mean \S+\.FileStreamSourceConnector\?$/,
  );
});

ours('BinaryDataConverter of Debezium is refused with the converter that takes its place', async () => {
  const converter = 'io.debezium.converters.BinaryDataConverter';
  const { status, json } = await updated(uniqueName('c'), { ...SRC, 'value.converter': converter });
  expect([status, json.message]).toEqual([
    400,
    expect.stringContaining(
      `Class ${converter} could not be found. Use org.apache.kafka.connect.converters.ByteArrayConverter, which writes the same bytes.`,
    ),
  ]);
});

ours('config providers in the config of a connector are ignored, whatever their class', async () => {
  const name = uniqueName('c');
  const config = { ...SRC, 'config.providers': 'env', 'config.providers.env.class': 'none' };
  expect((await updated(name, config)).status).toBe(200);
  expect(await stored(name)).toEqual({ ...config, name });
});
