/** Warnings about keys that are likely typing errors. They are no errors: a plugin may read any key. */
import { createConfigValidator } from '../../../src/config/validation/connector-validator';
import { fakeWorkerConfig, SNK, SRC } from '../../helpers/fake-plugins';
import { POSTGRES, registry, VALID, validator } from '../schema/schema-fixtures';

type Config = Record<string, string | null>;
/** Key → the key that was meant. */
async function proposals(base: Config, config: Config): Promise<Record<string, string | null>> {
  const infos = await validator.validate({ ...base, name: 'a', ...config });
  return Object.fromEntries((infos.warnings ?? []).map(({ key, meant }) => [key, meant]));
}
const MASK = {
  transforms: 'mask',
  'transforms.mask.type': 'org.apache.kafka.connect.transforms.MaskField$Value',
  'transforms.mask.fields': 'a',
};
const JSON_VALUE = { 'value.converter': 'org.apache.kafka.connect.json.JsonConverter' };

test('a warning is a sentence with the key that was meant, and not an error', async () => {
  const infos = await validator.validate({ ...SNK, name: 'a', 'erors.tolerance': 'all' });
  expect(infos.error_count).toBe(0);
  expect(infos.configs.some(({ value }) => value?.name === 'erors.tolerance')).toBe(false);
  expect(infos.warnings).toEqual([
    {
      key: 'erors.tolerance',
      meant: 'errors.tolerance',
      message: '"erors.tolerance" is not a known key; did you mean "errors.tolerance"?',
    },
  ]);
});

test('without warnings, an answer has the members of Java only', async () => {
  const infos = await validator.validate({ ...SNK, name: 'a', 'of.the.plugin': 'x' });
  expect(Object.keys(infos)).toEqual(['name', 'error_count', 'groups', 'configs']);
});

test.each<[string, string, Config?]>([
  ['topics.regx', 'topics.regex'],
  ['flie', 'file'],
  ['File', 'file'],
  ['task.max', 'tasks.max'],
  ['transfroms', 'transforms'],
  ['errors.bisct', 'errors.bisect'],
  ['erors.tolerance', 'errors.tolerance', { 'errors.tolerance': 'none' }],
  ['errors.deadleterqueue.topic.name', 'errors.deadletterqueue.topic.name'],
  ['consumer.override.max.pol.records', 'consumer.override.max.poll.records'],
  ['consumer.overide.max.poll.records', 'consumer.override.max.poll.records'],
  ['transforms.mask.typ', 'transforms.mask.type', { transforms: 'mask' }],
  ['transforms.mask.typ', 'transforms.mask.type', MASK],
  ['transforms.mask.replacment', 'transforms.mask.replacement', MASK],
  ['transforms.mask.predicat', 'transforms.mask.predicate', MASK],
  ['transfroms.mask.replacement', 'transforms.mask.replacement', MASK],
  ['transforms.maks.replacement', 'transforms.mask.replacement', MASK],
  ['predicates.isTopc.type', 'predicates.isTopic.type', { predicates: 'isTopic' }],
  ['value.converter.schema.enable', 'value.converter.schemas.enable', JSON_VALUE],
  ['value.convertor.schemas.enable', 'value.converter.schemas.enable', JSON_VALUE],
])('of a sink, %s means %s', async (key, meant, others = {}) => {
  expect(await proposals(SNK, { ...others, [key]: 'x' })).toEqual({ [key]: meant });
});

test.each<[string, string, Config?]>([
  ['topics', 'topic', { topic: null }],
  ['exactly.once.suport', 'exactly.once.support'],
  ['topic.creation.default.partition', 'topic.creation.default.partitions'],
  ['topic.creation.big.inclde', 'topic.creation.big.include', { 'topic.creation.groups': 'big' }],
  ['topic.creation.defualt.partitions', 'topic.creation.default.partitions'],
  ['producer.override.ack', 'producer.override.acks'],
])('of a source, %s means %s', async (key, meant, others = {}) => {
  const { topic: _, ...rest } = SRC;
  expect(await proposals('topic' in others ? rest : SRC, { ...(!('topic' in others) && others), [key]: 'x' })).toEqual({
    [key]: meant,
  });
});

test.each<[string, Config]>([
  ['a key of the plugin that is like no other', { 'my.own.key': 'x', driver: 'y', a: 'z' }],
  ['a label', { 'millrace.label.team': 'a' }],
  ['a transformation that is switched off', { ...MASK, 'transforms.a.type': 'X', 'transforms.hide.type': 'X' }],
  ['the same, with a name like that of another', { ...MASK, 'transforms.mask2.type': 'X' }],
  ['settings of a converter that the worker has', { 'value.converter.schema.registry.url': 'http://x' }],
  ['a key that the transformation may read', { ...MASK, 'transforms.mask.x': 'y' }],
  ['settings of interceptors', { 'consumer.override.acme.interceptor.level': 'x' }],
  ['a key beside the one that is like it', { file: '/tmp/x', files: '/tmp/y' }],
])('no warning: %s', async (_, config) => {
  expect(await proposals(SNK, config)).toEqual({});
});

test('no warning: topic configs of a source', async () => {
  expect(await proposals(SRC, { 'topic.creation.default.cleanup.policy': 'compact' })).toEqual({});
});

test('a key with an error has no warning, too', async () => {
  expect(await proposals(SNK, { flie: null })).toEqual({});
});

test('aliases from a config provider are not disclosed', async () => {
  const config = { ...SNK, name: 'a', transforms: '${p:x}', 'transforms.secrets.type': 'X' };
  const resolver = { resolve: (sent: Config) => Promise.resolve({ ...sent, transforms: 'secret' } as never) };
  const infos = await createConfigValidator({
    registry,
    config: fakeWorkerConfig(),
    resolver,
  }).validate(config);
  expect(infos.warnings).toBeUndefined();
});

test('keys compared and warnings are limited', async () => {
  const free = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`free.key.${i}`, 'x']));
  expect(await proposals(SNK, { flie: 'x', ...free, 'topics.regx': 'x' })).toEqual({ flie: 'file' });
  const typed = Object.fromEntries(
    Array.from({ length: 150 }, (_, i) => [`errors.toleranc${String.fromCharCode(0x100 + i)}`, 'x']),
  );
  expect(Object.keys(await proposals(SNK, typed))).toHaveLength(100);
  expect(await proposals(SNK, { ['x'.repeat(1_000_000)]: 'x', [`${'.'.repeat(100_000)}topics`]: 'x' })).toEqual({});
});

describe('a class that is likely a typing error is reported with the right one', () => {
  const errorsOf = async (key: string, config: Config): Promise<readonly string[] | undefined> =>
    (await validator.validate({ ...SNK, name: 'a', ...config })).configs.find(({ value }) => value?.name === key)?.value
      ?.errors;

  test.each([
    [
      'transforms.mask.type',
      { transforms: 'mask' },
      'MaskFeild$Value',
      'org.apache.kafka.connect.transforms.MaskField$Value',
    ],
    [
      'predicates.t.type',
      { predicates: 't' },
      'TopicNameMatch',
      'org.apache.kafka.connect.transforms.predicates.TopicNameMatches',
    ],
    ['value.converter', {}, 'JsonConvertor', 'org.apache.kafka.connect.json.JsonConverter'],
    ['header.converter', {}, 'SimpleHeaderConvertr', 'org.apache.kafka.connect.storage.SimpleHeaderConverter'],
  ])('%s', async (key, config, given, meant) => {
    expect(await errorsOf(key, { ...config, [key]: given })).toContain(
      `Invalid value ${given} for configuration ${key}: Class ${given} could not be found. Did you mean ${meant}?`,
    );
  });

  test('connector.class', async () => {
    await expect(validator.validate({ 'connector.class': 'FileStreamSnk' })).rejects.toMatchObject({
      status: 400,
      message:
        'Failed to find any class that implements Connector and which name matches FileStreamSnk. Did you mean org.apache.kafka.connect.file.FileStreamSinkConnector?',
    });
  });
});

test('a key that the plugin ignores has a warning, unless its default is set', async () => {
  const { config } = VALID[POSTGRES]!;
  const warnings = async (changes: Config): Promise<unknown> =>
    (await validator.validate({ ...(config as Config), name: 'a', ...changes })).warnings;
  expect(await warnings({ 'notification.http.url': 'http://x', 'signal.emit.failure.max.retries': '2' })).toEqual(
    ['notification.http.url', 'signal.emit.failure.max.retries'].map((key) => ({
      key,
      meant: null,
      message: expect.stringContaining(`"${key}" is not supported by this version and has no effect`) as string,
    })),
  );
  expect(await warnings({ 'signal.emit.failure.max.retries': ' 0 ', 'notification.http.url': '' })).toBeUndefined();
});

test.each<[string, Config, string, string]>([
  ['source', SRC, 'errors.deadletterqueue.topic.name', 'sinks'],
  ['sink', SNK, 'topic.creation.default.partitions', 'sources'],
  ['sink', SNK, 'exactly.once.support', 'sources'],
])('a key of the other type of connector has a warning: of a %s', async (_, base, key, type) => {
  expect((await validator.validate({ ...base, name: 'a', [key]: '1' })).warnings).toEqual([
    { key, meant: null, message: `"${key}" has no effect: only ${type} have it.` },
  ]);
  expect((await validator.validate({ ...base, name: 'a', [key]: ' ' })).warnings).toBeUndefined();
});

test('values of config providers are not shown in warnings', async () => {
  const { config } = VALID[POSTGRES]!;
  const sent = { ...(config as Config), name: 'a', 'snapshot.select.statement.overrides': '${p:tables}' };
  const resolve = (given: Config): Promise<never> =>
    Promise.resolve({ ...given, 'snapshot.select.statement.overrides': 'secret_schema.secret_table' } as never);
  const resolving = createConfigValidator({ registry, config: fakeWorkerConfig(), resolver: { resolve } });
  const { warnings } = await resolving.validate(sent);
  expect(warnings?.map(({ key }) => key)).toEqual(['snapshot.select.statement.overrides']);
  expect(JSON.stringify(warnings)).not.toContain('secret_table');
});

test('keys that only Java’s clients read have a warning', async () => {
  const warnings = (
    await validator.validate({
      ...SNK,
      name: 'a',
      'consumer.override.interceptor.classes': 'com.acme.X',
      'producer.override.partitioner.class': 'com.acme.P',
      'confluent.license': 'x',
      'consumer.override.max.poll.records': '5',
      'errors.tolerance': 'all',
    })
  ).warnings;
  expect(warnings?.map(({ key, meant }) => [key, meant])).toEqual([
    ['consumer.override.interceptor.classes', null],
    ['producer.override.partitioner.class', null],
    ['confluent.license', null],
  ]);
  expect(warnings?.[1]?.message).toMatch(/^"producer\.override\.partitioner\.class" has no effect\. Partitioners are /);
});

test('a wrong prefix is a typing error, and not also a key without effect', async () => {
  expect(await proposals(SNK, { 'consumer.overide.max.poll.records': '5' })).toEqual({
    'consumer.overide.max.poll.records': 'consumer.override.max.poll.records',
  });
  expect(await proposals(SNK, { 'consumer.max.poll.records': '5' })).toEqual({ 'consumer.max.poll.records': null });
});
