/** Client overrides as validation shows them; every expected value was observed on Java's worker 4.3.1. */
import type { ConfigInfos } from '../../../src/config/validation/config-infos';
import { createConfigValidator } from '../../../src/config/validation/connector-validator';
import { fakeRegistry, fakeWorkerConfig, SNK, SRC } from '../../helpers/fake-plugins';

const registry = fakeRegistry();
const validate = async (
  config: Record<string, string | null>,
  settings: Record<string, string> = {},
  resolve?: (text: string) => string,
): Promise<ConfigInfos> =>
  await createConfigValidator({
    registry,
    config: fakeWorkerConfig(settings),
    ...(resolve
      ? {
          resolver: {
            resolve: async <T extends string | null>(given: Readonly<Record<string, T>>) =>
              Object.fromEntries(
                Object.entries(given).map(([key, value]) => [key, value === null ? value : (resolve(value) as T)]),
              ),
          },
        }
      : {}),
  }).validate(config);
const source = { ...SRC, name: 'a' };
const overrides = (infos: ConfigInfos): (string | null | undefined)[][] =>
  infos.configs
    .filter(({ value }) => value?.name.includes('.override.'))
    .map(({ definition, value }) => [
      value?.name,
      value?.value,
      definition && definition.type,
      definition && definition.default_value,
    ]);

test('connect-rest 136: every override has an entry with the client’s own definition, or none for an unknown key', async () => {
  const infos = await validate({
    ...source,
    'admin.override.retries': '4',
    'topic.creation.default.partitions': '1',
    'producer.override.linger.ms': ' 7 ',
    'producer.override.sasl.jaas.config': 'secret',
    'producer.override.foo.bar': 'x',
    'producer.override.acks': '9',
    'producer.override.enable.idempotence': 'TRUE',
    'producer.override.bootstrap.servers': 'a:1, b:2',
    'producer.override.sasl.login.refresh.window.factor': '0.90',
  });
  expect(overrides(infos)).toEqual([
    ['producer.override.linger.ms', '7', 'LONG', '5'],
    ['producer.override.sasl.jaas.config', '[hidden]', 'PASSWORD', null],
    ['producer.override.foo.bar', 'x', null, null],
    ['producer.override.acks', '9', 'STRING', 'all'],
    ['producer.override.enable.idempotence', 'true', 'BOOLEAN', 'true'],
    ['producer.override.bootstrap.servers', 'a:1,b:2', 'LIST', null],
    ['producer.override.sasl.login.refresh.window.factor', '0.9', 'DOUBLE', '0.8'],
    ['admin.override.retries', '4', 'INT', '2147483647'],
  ]);
  expect(infos.error_count).toBe(0);
  expect(infos.configs.find(({ value }) => value?.name === 'producer.override.bootstrap.servers')).toEqual({
    definition: {
      name: 'producer.override.bootstrap.servers',
      type: 'LIST',
      required: true,
      default_value: null,
      importance: 'HIGH',
      documentation: expect.any(String),
      group: null,
      order_in_group: -1,
      width: 'NONE',
      display_name: 'bootstrap.servers',
      dependents: [],
    },
    value: {
      name: 'producer.override.bootstrap.servers',
      value: 'a:1,b:2',
      recommended_values: [],
      errors: [],
      visible: true,
    },
  });
});

test('connect-rest §3.4: client overrides follow the plugin’s own keys and precede those of converters', async () => {
  const infos = await validate({
    ...source,
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'producer.override.acks': '1',
  });
  const names = infos.configs.map(({ value }) => value?.name);
  const at = names.indexOf('producer.override.acks');
  expect(names[at - 1]).toBe('batch.size');
  expect(names[at + 1]).toMatch(/^value\.converter\./);
});

test.each([
  ['linger.ms', 'x', 'Not a number of type LONG'],
  ['enable.idempotence', 'maybe', 'Expected value to be either true or false'],
  ['retries', '99999999999', 'Not a number of type INT'],
  ['sasl.login.refresh.window.factor', 'a', 'Not a number of type DOUBLE'],
  ['linger.ms', '', 'Not a number of type LONG'],
])('connect-rest 138: producer.override.%s=%s is a 500 with the reason', async (name, value, reason) => {
  await expect(validate({ ...source, [`producer.override.${name}`]: value })).rejects.toMatchObject({
    status: 500,
    message: `Invalid value ${value} for configuration ${name}: ${reason}`,
  });
});

test('connect-rest 138: the resolved value of a placeholder is not shown', async () => {
  const resolve = (text: string): string => text.replace('${file:/p:k}', 'canary');
  await expect(
    validate({ ...source, 'producer.override.linger.ms': '${file:/p:k}' }, {}, resolve),
  ).rejects.toMatchObject({ message: expect.not.stringContaining('canary') });
  const shown = await validate({ ...source, 'producer.override.client.id': '${file:/p:k}' }, {}, resolve);
  expect(overrides(shown)).toEqual([['producer.override.client.id', '${file:/p:k}', 'STRING', '']]);
});

test('connect-rest 142, 160: messages that are not from the policy have an entry of their own, in front', async () => {
  const infos = await validate(
    { ...SNK, name: 'a', 'consumer.override.group.id': 'workers', 'consumer.override.max.poll.records': null },
    { groupId: 'workers' },
  );
  expect(
    infos.configs
      .filter(({ value }) => value?.name.includes('.override.'))
      .map(({ definition, value }) => [value?.name, value?.value, definition !== null, value?.errors]),
  ).toEqual([
    ['consumer.override.max.poll.records', null, false, ['Null value can not be supplied as the configuration value.']],
    [
      'consumer.override.group.id',
      'workers',
      false,
      ['Consumer group workers conflicts with Connect worker group workers'],
    ],
    ['consumer.override.group.id', 'workers', true, []],
    ['consumer.override.max.poll.records', null, true, []],
  ]);
  expect(infos.error_count).toBe(2);
});
