import type { ConfigInfos } from '../../../src/config/validation/config-infos';
import { createConfigValidator } from '../../../src/config/validation/connector-validator';
import { fakeRegistry, fakeWorkerConfig, SRC } from '../../helpers/fake-plugins';

const validate = async (more: Record<string, string>): Promise<ConfigInfos> =>
  await createConfigValidator({ registry: fakeRegistry(), config: fakeWorkerConfig() }).validate({
    ...SRC,
    name: 'a',
    ...more,
  });

const errors = (infos: ConfigInfos): Record<string, readonly string[]> =>
  Object.fromEntries(
    infos.configs.flatMap(({ value }) => (value && value.errors.length > 0 ? [[value.name, value.errors]] : [])),
  );

test('Millrace’s own keys are shown only where they are used', async () => {
  const without = await validate({});
  const used = await validate({ 'errors.restart.max': '-1', 'task.isolation': 'dedicated' });
  const names = (infos: ConfigInfos): (string | undefined)[] => infos.configs.map(({ value }) => value?.name);
  expect(names(used).filter((name) => !names(without).includes(name))).toEqual([
    'errors.restart.max',
    'task.isolation',
  ]);
  expect(used.error_count).toBe(0);
  expect(used.groups).toEqual(without.groups);
});

test('problems with them are reported before anything runs', async () => {
  const infos = await validate({
    'errors.restart.max': '-2',
    'errors.restart.backoff.ms': '0',
    'errors.restart.backoff.max.ms': 'a while',
    'errors.bisect': 'maybe',
    'task.isolation': 'alone',
    'task.memory.mb': '0',
  });
  expect(errors(infos)).toEqual({
    'errors.restart.max': [expect.stringContaining('Value must be at least -1')],
    'errors.restart.backoff.ms': [expect.stringContaining('Value must be at least 1')],
    'errors.restart.backoff.max.ms': [
      expect.stringContaining('Not a number of type LONG'),
      expect.stringContaining('Value must be non-null'),
    ],
    'errors.bisect': [expect.stringContaining('Expected value to be either true or false')],
    'task.isolation': [expect.stringContaining('String must be one of: shared, dedicated')],
    'task.memory.mb': [expect.stringContaining('Value must be at least 1')],
  });
});

test('the heap of a JVM has the worker’s limit', async () => {
  expect(errors(await validate({ 'jvm.heap.mb': '4096' }))).toEqual({});
  expect(errors(await validate({ 'jvm.heap.mb': '4097' }))).toEqual({
    'jvm.heap.mb': ['Invalid value 4097 for configuration jvm.heap.mb: The worker allows 4096 (jvm.heap.max.mb)'],
  });
});
