/** For tests: one broker, in memory and without a word on the terminal, for all tests of a file. */
import { startEmbeddedBroker, type EmbeddedBroker, type EmbeddedBrokerOptions } from '../broker';

/** Jest's functions of these names; Vitest's are the same, and node:test's can be handed over. */
export interface TestHooks {
  beforeAll(start: () => Promise<void>): void;
  afterEach(tidyUp: () => void): void;
  afterAll(stop: () => Promise<void>): void;
}

export type TestBroker = Pick<EmbeddedBroker, 'bootstrapServers' | 'port' | 'clusterId' | 'faults'>;

/**
 * To be called where tests are declared. The broker is there from `beforeAll` on; faults end with the test that asked
 * for them. Jest calls `afterAll` hooks in the order they were declared: what uses the broker is best stopped in the
 * test that started it.
 * @param options over `memory: true` and a silent `log`; a `dataDir` is used when there is one.
 * @param hooks default: the globals of these names.
 * @throws from the properties of what it returns, while there is no broker yet.
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
      throw new Error('The embedded broker is started by beforeAll: ask for it in a test or a hook.');
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
