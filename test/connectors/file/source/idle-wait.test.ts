import { IdleWait } from '../../../../connectors/file/src/source/idle-wait';

test('an input that has been quiet for five seconds is looked at once a second, until something comes', () => {
  const idle = new IdleWait();
  const waits = (count: number): number[] => Array.from({ length: count }, () => idle.next());
  expect(waits(25)).toEqual(Array(25).fill(200));
  expect(waits(3)).toEqual([1_000, 1_000, 1_000]);
  idle.reset();
  expect(waits(26)).toEqual([...(Array(25).fill(200) as number[]), 1_000]);
});
