import { silentLogger } from '../../src/logging/logger';
import { InlinePluginHost } from '../../src/plugin-host/inline-plugin-host';
import type { HostedConnector, InstanceEvents } from '../../src/plugin-host/host';

const released: string[] = [];
class Instance {
  private readonly does = 'something';
  constructor(private readonly error: Error | null = null) {}
  taskConfigs(): { does: string }[] {
    return [{ does: this.does }];
  }
  release(): void {
    released.push(this.does);
    if (this.error) throw this.error;
  }
}

const connector = { connector: 'c', description: {}, config: {}, workerSettings: {} } as HostedConnector;

test.each([null, new Error('no')])(
  'the methods of an instance are called on it; release that throws %s',
  async (error) => {
    const host = new InlinePluginHost({ load: async () => ({ create: () => new Instance(error) }) } as never);
    const instance = await host.create(connector, { logger: silentLogger } as InstanceEvents);
    await instance.start?.();
    expect(await instance.taskConfigs(1)).toEqual([{ does: 'something' }]);
    await instance.stop?.();
    released.length = 0;
    instance.release?.();
    expect(released).toEqual(['something']);
  },
);
