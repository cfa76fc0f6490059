import { createConfigValidator } from '../../src/config/validation/connector-validator';
import { fakeRegistry, fakeWorkerConfig } from '../helpers/fake-plugins';

const validator = createConfigValidator({ registry: fakeRegistry(), config: fakeWorkerConfig() });

test('connect-rest 116: own keys first, then those of the framework, each in member order', async () => {
  const keys = await validator.definitions('FileStreamSource');
  expect(keys.slice(0, 5).map(({ name }) => name)).toEqual(['file', 'topic', 'batch.size', 'name', 'connector.class']);
  for (const key of keys) {
    expect(Object.keys(key)).toEqual([
      'name',
      'type',
      'required',
      'default_value',
      'importance',
      'documentation',
      'group',
      'order_in_group',
      'width',
      'display_name',
      'dependents',
    ]);
    expect(key.documentation).not.toBe('');
  }
});

// Source: connect-rest §4.1 to §4.3.
const TABLE = `
name STRING - HIGH Common 1 MEDIUM Connector name
connector.class STRING - HIGH Common 2 LONG Connector class
connector.plugin.version STRING 4.3.1 MEDIUM Common 3 MEDIUM Connector version
tasks.max INT 1 HIGH Common 4 SHORT Tasks max
tasks.max.enforce BOOLEAN true LOW Common 5 SHORT Enforce tasks max
key.converter CLASS null LOW Common 6 SHORT Key converter class
key.converter.plugin.version STRING null LOW Common 7 SHORT Key converter version
value.converter CLASS null LOW Common 8 SHORT Value converter class
value.converter.plugin.version STRING null LOW Common 9 SHORT Value converter version
header.converter CLASS null LOW Common 10 SHORT Header converter class
header.converter.plugin.version STRING null LOW Common 11 SHORT Header converter version
transforms LIST '' LOW Transforms 12 LONG Transforms
predicates LIST '' LOW Predicates 13 LONG Predicates
config.action.reload STRING restart LOW Common 14 MEDIUM Reload Action
errors.retry.timeout LONG 0 MEDIUM Error~Handling 1 MEDIUM Retry Timeout for Errors
errors.retry.delay.max.ms LONG 60000 MEDIUM Error~Handling 2 MEDIUM Maximum Delay Between Retries for Errors
errors.tolerance STRING none MEDIUM Error~Handling 3 SHORT Error Tolerance
errors.log.enable BOOLEAN false MEDIUM Error~Handling 4 SHORT Log Errors
errors.log.include.messages BOOLEAN false MEDIUM Error~Handling 5 SHORT Log Error Details`;
const SOURCE = `
topic.creation.groups LIST '' LOW Topic~Creation 1 LONG Topic Creation Groups
exactly.once.support STRING requested MEDIUM Exactly~Once~Support 2 SHORT Exactly once support
transaction.boundary STRING poll MEDIUM Exactly~Once~Support 3 SHORT Transaction Boundary
transaction.boundary.interval.ms LONG null LOW Exactly~Once~Support 4 SHORT Transaction boundary interval
offsets.storage.topic STRING null LOW offsets.topic 1 LONG Offsets topic`;
const SINK = `
topics LIST '' HIGH Common 4 LONG Topics
topics.regex STRING '' HIGH Common 4 LONG Topics regex
errors.deadletterqueue.topic.name STRING '' MEDIUM Error~Handling 6 MEDIUM Dead Letter Queue Topic Name
errors.deadletterqueue.topic.replication.factor SHORT 3 MEDIUM Error~Handling 7 MEDIUM Dead Letter Queue Topic Replication Factor
errors.deadletterqueue.context.headers.enable BOOLEAN false MEDIUM Error~Handling 8 MEDIUM Enable Error Context Headers`;

test.each([
  ['FileStreamSource', TABLE + SOURCE, 3],
  ['FileStreamSink', TABLE + SINK, 1],
])('connect-rest §4: the keys of %s', async (plugin, table, own) => {
  const rows = (await validator.definitions(plugin))
    .slice(own)
    .map((key) =>
      [
        key.name,
        key.type,
        key.required ? '-' : key.default_value === '' ? "''" : String(key.default_value),
        key.importance,
        key.group?.replace(/ /g, '~'),
        key.order_in_group,
        key.width,
        key.display_name,
      ].join(' '),
    );
  expect(rows).toEqual(table.trim().split('\n'));
});

test('connect-rest 117, 118: full name and simple names select the same plugin, others are rejected', async () => {
  const all = await Promise.all(
    ['FileStreamSource', 'FileStreamSourceConnector', 'org.apache.kafka.connect.file.FileStreamSourceConnector'].map(
      (name) => validator.definitions(name),
    ),
  );
  expect(all[1]).toEqual(all[0]);
  expect(all[2]).toEqual(all[0]);
  const provider = 'org.apache.kafka.common.config.provider.FileConfigProvider';
  const policy = 'org.apache.kafka.connect.connector.policy.AllConnectorClientConfigOverridePolicy';
  for (const name of [provider, 'FileConfigProvider', 'File', policy, 'None']) {
    await expect(validator.definitions(name)).rejects.toMatchObject({
      status: 400,
      message: `Invalid plugin class ${name}. Valid types are sink, source, converter, header_converter, transformation, predicate.`,
    });
  }
  for (const name of ['Nope', 'Twin']) {
    await expect(validator.definitions(name)).rejects.toMatchObject({
      status: 404,
      message: `Unknown plugin ${name}.`,
    });
  }
});

test('connect-rest §1.20: a converter shows only its own keys', async () => {
  const keys = await validator.definitions('JsonConverter');
  expect(keys.map(({ name }) => name)).toEqual(['converter.type', 'schemas.enable', 'decimal.format']);
});

test('connect-rest 119, R11: versions', async () => {
  const ask = (version: string): Promise<unknown> => validator.definitions('FileStreamSource', version);
  await expect(ask('latest')).resolves.toHaveLength(27);
  await expect(ask('4.3.1')).resolves.toHaveLength(27);
  const missing = (range: string): string =>
    `Plugin org.apache.kafka.connect.file.FileStreamSourceConnector not found that matches the version range ${range}, available versions: [4.3.1]`;
  await expect(ask('9.9')).rejects.toMatchObject({ status: 400, message: missing('[9.9,9.9]') });
  await expect(ask('')).rejects.toMatchObject({ status: 400, message: missing('[,]') });
  await expect(ask('[1')).rejects.toMatchObject({ status: 400, message: 'Invalid version specification: [1' });
});
