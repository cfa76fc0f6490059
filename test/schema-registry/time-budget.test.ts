/** One request compares with all versions of a subject only as long as its budget lasts. */
import { memoryLog } from '@millrace/schema-registry';
import { Registry } from '../../packages/schema-registry/src/core/registry';
import { formats } from '../../packages/schema-registry/src/formats';
import { record } from './registry-client';

const source = (field: string) => ({
  type: 'AVRO' as const,
  text: record('R', { name: field, type: 'int', default: 0 }),
  references: [],
  normalize: false,
  id: null,
  version: null,
});

test('comparisons with many versions end when their time is spent, and the registry goes on', async () => {
  let now = 0;
  let step = 0;
  const registry = new Registry(memoryLog(), formats, undefined, () => (now += step));
  await registry.start();
  await registry.settings.setLevel('s', 'BACKWARD_TRANSITIVE');
  for (let i = 0; i < 20; i++) await registry.register('s', source(`f${i}`));
  step = 1_000;
  const refused = {
    status: 422,
    code: 42201,
    message: expect.stringContaining('20 versions of the subject takes more than 5 seconds') as unknown,
  };
  await expect(registry.register('s', source('more'))).rejects.toMatchObject(refused);
  expect(() => registry.test('s', source('more'), null, false)).toThrow(expect.objectContaining(refused));
  expect(registry.test('s', source('more'), 'latest', false)).toEqual([]);
  step = 0;
  expect((await registry.register('s', source('more'))).version).toBe(21);
});
