/** A broker for all tests of a file, in memory and without log output. */
import { startEmbeddedBroker, type EmbeddedBroker, type EmbeddedBrokerOptions } from '../broker';

/** Jest's and Vitest's functions of these names; node:test's can be adapted. */
export interface TestHooks {
  beforeAll(start: () => Promise<void>): void;
  afterEach(tidyUp: () => void): void;
  afterAll(stop: () => Promise<void>): void;
}

export type TestBroker = Pick<EmbeddedBroker, 'bootstrapServers' | 'port' | 'clusterId' | 'faults'>;

/**
 * Call it where tests are declared. The broker runs from `beforeAll` to `afterAll`; faults are cleared after each test.
 * Jest calls `afterAll` hooks in the order of declaration, so stop clients in the test that started them.
 * @param options override the defaults: no log lines, and in memory unless there is a `dataDir`
 * @param hooks default: the globals of these names
 * @returns properties that throw until `beforeAll` has run.
 */
export function useEmbeddedBroker(options: EmbeddedBrokerOptions = {}, hooks?: TestHooks): TestBroker {
  const { beforeAll, afterEach, afterAll } = hooks ?? (globalThis as unknown as TestHooks);
  let broker: EmbeddedBroker | null = null;
  beforeAll(async () => {
    broker = await startEmbeddedBroker({ memory: options.dataDir === undefined, log: () => undefined, ...options });
  });
  afterEach(() => broker?.faults.clear());
  afterAll(async () => {
    await broker?.stop();
  });
  const running = (): EmbeddedBroker => {
    if (broker === null)
      throw new Error('The embedded broker is started in beforeAll; use it in tests and hooks only.');
    return broker;
  };
  return {
    get bootstrapServers() {
      return running().bootstrapServers;
    },
    get port() {
      return running().port;
    },
    get clusterId() {
      return running().clusterId;
    },
    get faults() {
      return running().faults;
    },
  };
}
