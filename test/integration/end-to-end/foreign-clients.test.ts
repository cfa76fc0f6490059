/** An independent client reads what the worker wrote. */
import { kcatRead, testWithKcat } from '../../helpers/kcat';
import { captureTodos, type Capture } from './capture';

let capture: Capture;

beforeAll(async () => {
  capture = await captureTodos();
});

afterAll(() => capture?.close());

testWithKcat('kcat reads the events and the storage topics', async () => {
  const { topic, group } = capture;
  const lines = await kcatRead(topic, '-K', '\t', '-Z');
  expect(lines).toHaveLength(22);
  const [key, value] = (lines[0] as string).split('\t') as [string, string];
  expect(JSON.parse(key).payload).toEqual({ id: 1 });
  expect(JSON.parse(value).payload).toMatchObject({ before: null, after: { id: 1, title: 'todo 1' }, op: 'r' });
  const ops = lines.slice(0, 21).map((line) => JSON.parse(line.split('\t')[1] as string).payload.op as string);
  expect([ops[0], ops[19], ops[20]]).toEqual(['r', 'r', 'd']);
  expect(lines[21]?.split('\t')[1]).toBe('NULL');

  const configs = (await kcatRead(`${group}-configs`, '-K', '\t')).join('\n');
  expect(configs).toMatch(/^connector-todos\t\{"properties":\{/m);
  expect(configs).toMatch(/^commit-todos\t\{"tasks":1\}$/m);
});
