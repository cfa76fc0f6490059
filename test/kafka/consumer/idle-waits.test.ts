/** Fetches wait longer while nothing comes, and never longer than the user has set. */
import { readFetchSettings } from '../../../packages/kafka-client/src/consumer/consumer-settings';
import { IdleWaits } from '../../../packages/kafka-client/src/consumer/idle-waits';

const waitsOf = (config: Record<string, string> = {}): IdleWaits => new IdleWaits(readFetchSettings(config));
const [LANE, OTHER] = ['1/fetch', '1/fetch-2'];

/** The waits of requests that follow each other on one lane, without records. */
function waitsUntil(waits: IdleWaits, endMs: number): number[] {
  const all: number[] = [];
  for (let now = 0; now < endMs; now += all.at(-1) as number) all.push(waits.next(1, OTHER, now));
  return all;
}

test('waits grow while no records come, up to a limit, and start again with records', () => {
  const waits = waitsOf();
  const all = waitsUntil(waits, 60_000);
  expect(all.slice(0, 5)).toEqual([500, 500, 500, 750, 1125]);
  expect(all.slice(-3)).toEqual([5_000, 5_000, 5_000]);
  waits.received(1, 60_000);
  expect(waits.next(1, OTHER, 60_001)).toBe(500);
  expect(waits.next(2, OTHER, 60_001)).toBe(500);
});

test.each<[string, Record<string, string>, number]>([
  ['the wait is set', { 'fetch.max.wait.ms': '500' }, 500],
  ['the wait is set to more', { 'fetch.max.wait.ms': '7000' }, 7_000],
  ['small amounts may be held back', { 'fetch.min.bytes': '1000' }, 500],
  ['requests have little time', { 'request.timeout.ms': '3000' }, 1_000],
  ['requests have hardly any time', { 'request.timeout.ms': '300' }, 500],
])('they are bounded where %s', (_what, config, longest) => {
  expect(Math.max(...waitsUntil(waitsOf(config), 60_000))).toBe(longest);
});

test('while the other lane waits long, requests are short and end together with it', () => {
  const waits = waitsOf();
  waits.received(1, 0);
  waits.sent(OTHER, 15_000);
  expect(waits.next(1, OTHER, 10_000)).toBe(500);
  expect(waits.next(1, OTHER, 14_700)).toBe(300);
  expect(waits.heldUntil(1, OTHER, 14_700)).toBeNull();
  expect(waits.heldUntil(1, OTHER, 14_995)).toBe(15_010);
  expect(waits.heldUntil(1, OTHER, 15_009)).toBe(15_010);
  // The broker is late: nothing waits for it any longer.
  expect(waits.heldUntil(1, OTHER, 15_010)).toBeNull();
  waits.ended(OTHER);
  expect(waits.heldUntil(1, OTHER, 14_995)).toBeNull();
  expect(waits.next(1, OTHER, 15_000)).toBe(5_000);
  // While records come, no request waits for another.
  waits.sent(LANE, 15_100);
  waits.received(1, 15_000);
  expect(waits.heldUntil(1, LANE, 15_095)).toBeNull();
  expect(waits.next(1, LANE, 15_095)).toBe(500);
});
