import { once, EventEmitter } from 'node:events';
import { JvmVitals } from '../../../packages/java-host/src/jvm/jvm-vitals';

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
  return { pid: process.pid, ask, asked };
}

test('memory and use of a JVM; its loggers are listed; MBeans are asked for once metrics are scraped', async () => {
  const one = jvm({ memory: MEMORY, loggers: ['a', 1, 'b'], mbeans: beans });
  const listed: string[] = [];
  let scraped = false;
  one.asked.on('mbeans', () => expect(scraped).toBe(true));
  const silent = jest.fn();
  const vitals = new JvmVitals(one, SETTINGS, { loggers: (names) => listed.push(...names) }, silent, 5);
  await once(one.asked, 'memory');
  await once(one.asked, 'memory');
  expect(vitals.memory).toEqual(MEMORY);
  expect(vitals.usage?.residentBytes).toBeGreaterThan(0);
  expect(listed).toEqual(['a', 'b']);
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
