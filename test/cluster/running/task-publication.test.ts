import type { ConnectorConfig } from '@millrace/sdk';
import { ConnectorPlugins } from '../../../src/cluster/running/connector-plugins';
import { TaskPublication, type TaskPublicationOptions } from '../../../src/cluster/running/task-publication';
import { silentLogger } from '../../../src/logging/logger';

const config: ConnectorConfig = { name: 'c', 'connector.class': 'org.example.TickConnector' };

const description = { type: 'source', class: 'org.example.TickConnector', taskClass: null };

/** `onPut` is called when the task configs are written. */
function publicationThat(onPut: () => void): TaskPublication {
  const snapshot = {
    connectorConfig: () => config,
    targetState: () => 'STARTED',
    appliedConfig: () => null,
    taskConfigs: () => [],
    isInconsistent: () => false,
    isUncommitted: () => false,
  };
  const runner = { state: 'STARTED', taskConfigs: async () => [{ part: 'a' }] };
  const options = {
    connectors: { runner: () => runner },
    configs: { snapshot: () => snapshot, putTaskConfigs: async () => onPut() },
    plugins: new ConnectorPlugins({ find: () => description } as never),
    resolve: async (raw: ConnectorConfig) => raw,
    queue: { submit: async (run: () => Promise<unknown>) => await run() },
    offsetLocks: { isHeld: () => false },
    isLeader: () => true,
    sendToLeader: async () => undefined,
    logger: silentLogger,
  };
  return new TaskPublication(options as unknown as TaskPublicationOptions);
}

test('a request at any moment, also while a publication ends, is published', async () => {
  for (let microtasks = 0; microtasks < 40; microtasks++) {
    let puts = 0;
    const publication = publicationThat(() => {
      if (++puts > 1) return;
      let moment = Promise.resolve();
      for (let i = 0; i < microtasks; i++) moment = moment.then(() => undefined);
      void moment.then(() => publication.request('c'));
    });
    publication.request('c');
    // All of it is microtasks, which end before this.
    await new Promise((resolve) => setImmediate(resolve));
    expect([microtasks, puts]).toEqual([microtasks, 2]);
    publication.close();
  }
});
