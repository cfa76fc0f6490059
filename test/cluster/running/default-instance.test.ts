import { defaultInstance } from '../../../src/cluster/running/default-instance';

const count = async (type: 'source' | 'sink', taskCountKey: string | null, config: Record<string, string>) =>
  (await defaultInstance(type, { taskCountKey }, config).taskConfigs(3)).length;

test('a sink has tasks.max tasks, a source one', async () => {
  expect(await count('sink', null, { n: '2' })).toBe(3);
  expect(await count('source', null, { n: '2' })).toBe(1);
});

test("a source's setting may name the number of its tasks", async () => {
  expect(await count('source', 'n', { n: '2' })).toBe(2);
  expect(await count('source', 'n', {})).toBe(1);
  // More than tasks.max: the connector fails.
  expect(await count('source', 'n', { n: '4' })).toBe(4);
});

test.each(['0', '-1', 'x', '1.5', '1000000'])('the number %s, which validation rejects, is one task', async (n) => {
  expect(await count('source', 'n', { n })).toBe(1);
});
