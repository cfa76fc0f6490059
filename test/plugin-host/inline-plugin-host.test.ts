import { silentLogger } from '../../src/logging/logger';
import { InlinePluginHost } from '../../src/plugin-host/inline-plugin-host';
import type { HostedConnector, InstanceEvents } from '../../src/plugin-host/host';

const released: string[] = [];
/** Has a method that is not part of Connect, under a name that the runtime uses. */
class Instance {
  private readonly does = 'something';
  taskConfigs(): { does: string }[] {
    return [{ does: this.does }];
  }
  release(): void {
    released.push('the plugin’s own');
  }
}

test('the runtime reads only the members of an instance that the SDK names', async () => {
  const host = new InlinePluginHost({ load: async () => ({ create: () => new Instance() }) } as never);
  const connector = { connector: 'c', description: {}, config: {}, workerSettings: {} } as HostedConnector;
  const instance = await host.create(connector, { logger: silentLogger } as InstanceEvents);
  instance.release?.();
  expect(released).toEqual([]);
  await instance.start?.();
  expect(await instance.taskConfigs(1)).toEqual([{ does: 'something' }]);
  await instance.stop?.();
});
