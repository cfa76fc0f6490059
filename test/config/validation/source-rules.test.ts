/** Settings of a source that this worker rejects. */
import { createConfigValidator } from '../../../src/config/validation/connector-validator';
import { fakeRegistry, fakeWorkerConfig, SRC } from '../../rest/fake-worker';

async function errors(more: Record<string, string>): Promise<Record<string, readonly string[]>> {
  const config = fakeWorkerConfig({});
  const infos = await createConfigValidator({ registry: fakeRegistry(), config }).validate({
    ...SRC,
    name: 'a',
    ...more,
  });
  return Object.fromEntries(
    infos.configs.flatMap(({ value }) => (value && value.errors.length > 0 ? [[value.name, value.errors]] : [])),
  );
}

test('connect-runtime 89: exactly.once.support=required on a worker without exactly-once', async () => {
  const expected = { 'exactly.once.support': ['This worker does not have exactly-once source support enabled.'] };
  expect(await errors({ 'exactly.once.support': 'required' })).toEqual(expected);
  expect(await errors({ 'exactly.once.support': 'REQUIRED' })).toEqual(expected);
  expect(await errors({ 'exactly.once.support': 'requested' })).toEqual({});
});

test('transaction boundaries that the connector would define', async () => {
  expect(await errors({ 'transaction.boundary': 'connector' })).toEqual({
    'transaction.boundary': [
      expect.stringMatching(/^The connector does not support connector-defined transaction boundaries/),
    ],
  });
});

test('connect-runtime 79: an offsets topic of its own', async () => {
  for (const topic of ['mine', fakeWorkerConfig({}).offset.topic])
    expect(await errors({ 'offsets.storage.topic': topic })).toEqual({});
});
