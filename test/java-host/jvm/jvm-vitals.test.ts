import { once, EventEmitter } from 'node:events';
import { waitFor } from '../../helpers/wait-for';
import { JvmVitals, lookEveryMs } from '../../../packages/java-host/src/jvm/jvm-vitals';

const SETTINGS = { silenceMs: 50, mbeanDomains: ['debezium.*'] };
const MEMORY = { heapUsed: 1, heapMax: 2, nonHeapUsed: 3, threads: 4, gcMs: 5 };
const beans = [{ name: 'd:type=t', attributes: { A: 1 } }];

/** A JVM with these answers, and what it was asked. */
function jvm(answers: Record<string, unknown>) {
  const asked = new EventEmitter();
  const ask = async (method: string): Promise<never> => {
    asked.emit(method);
    return await Promise.resolve((answers[method] ?? null) as never);
  };
  return { pid: process.pid, ask, call: ask, asked };
}

test('memory and use of a JVM; its loggers are listed; MBeans are asked for once metrics are scraped', async () => {
  const one = jvm({ memory: MEMORY, loggers: ['a', 1, 'b'], mbeans: beans });
  const listed: string[] = [];
  let scraped = false;
  one.asked.on('mbeans', () => expect(scraped).toBe(true));
  const silent = jest.fn();
  const vitals = new JvmVitals(one, SETTINGS, { loggers: (names) => listed.push(...names) }, silent, 5, 5);
  await once(one.asked, 'memory');
  await once(one.asked, 'memory');
  expect(vitals.memory).toEqual(MEMORY);
  await once(one.asked, 'loggers');
  expect(vitals.usage?.residentBytes).toBeGreaterThan(0);
  await once(one.asked, 'memory');
  expect(listed.slice(0, 2)).toEqual(['a', 'b']);
  scraped = true;
  expect(vitals.scrape()).toEqual([]);
  await once(one.asked, 'mbeans');
  await once(one.asked, 'memory');
  expect(vitals.scrape()).toMatchObject([{ name: 'd_t_A', value: 1 }]);
  vitals.close();
  expect(silent).not.toHaveBeenCalled();
  expect(vitals.silentMs).toBe(0);
});

test('one that does not answer is silent after the time, and never without a limit', async () => {
  const waits = jvm({});
  const limited = new Promise<void>((resolve) => {
    const vitals = new JvmVitals(waits, SETTINGS, { loggers: jest.fn() }, () => (vitals.close(), resolve()), 5);
  });
  await limited;
  const silent = jest.fn();
  const other = jvm({});
  const vitals = new JvmVitals(other, { ...SETTINGS, silenceMs: 0 }, { loggers: jest.fn() }, silent, 1);
  for (let i = 0; i < 20; i++) await once(other.asked, 'memory');
  vitals.close();
  expect(silent).not.toHaveBeenCalled();
  expect(vitals.memory).toBe(null);
  expect(vitals.silentMs).toBeGreaterThanOrEqual(15);
});

test('a question waits for its answer, however late; only then is there another one', async () => {
  let answer: (memory: typeof MEMORY) => void = () => undefined;
  const asked = new EventEmitter();
  const call = async (): Promise<never> => {
    asked.emit('memory');
    return (await new Promise<typeof MEMORY>((resolve) => (answer = resolve))) as never;
  };
  const slow = { pid: null, ask: async () => await Promise.resolve(null), call };
  const silent = jest.fn();
  const vitals = new JvmVitals(slow, { ...SETTINGS, silenceMs: 60_000 }, { loggers: jest.fn() }, silent, 1);
  asked.on('memory', () => expect(vitals.silentMs).toBe(0));
  await waitFor('looks without an answer', () => vitals.silentMs >= 5);
  const again = once(asked, 'memory');
  answer(MEMORY);
  await again;
  expect(vitals.memory).toEqual(MEMORY);
  vitals.close();
  expect(silent).not.toHaveBeenCalled();
});

test('a short limit is looked at more often, a long one every 10 s', () => {
  expect([0, 100, 3_000, 40_000, 120_000].map(lookEveryMs)).toEqual([10_000, 250, 750, 10_000, 10_000]);
});
