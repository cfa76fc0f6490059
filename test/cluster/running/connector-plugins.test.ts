import type { Connector } from '@millrace/sdk';
import { ConnectorPlugins } from '../../../src/cluster/running/connector-plugins';
import { traitsOf } from '../../../src/plugin-host/connector-traits';
import type { PluginDescription } from '../../../src/plugins/registry';

const described = (taskClass: string | null): PluginDescription => ({
  type: 'source',
  class: 'com.acme.JdbcSourceConnector',
  version: '1',
  aliases: [],
  taskClass,
  location: '/jars',
});
const plugin = (taskClass?: unknown): Connector =>
  ({ type: 'source', config: [], createTask: () => undefined, taskClass }) as unknown as Connector;

test.each([
  ['the manifest’s', 'com.acme.Named', 'com.acme.Loaded', 'com.acme.Named'],
  ['the loaded plugin’s', null, 'com.acme.internal.Worker', 'com.acme.internal.Worker'],
  ['that of the connector’s class', null, undefined, 'com.acme.JdbcSourceTask'],
  ['that of the connector’s class instead of an invalid one', null, 7, 'com.acme.JdbcSourceTask'],
])('task.class is %s', (_case, named, loaded, expected) => {
  const plugins = new ConnectorPlugins({ find: () => null } as never);
  const description = described(named);
  expect(plugins.taskClass(description)).toBe(named ?? 'com.acme.JdbcSourceTask');
  plugins.onLoaded(description, traitsOf(plugin(loaded)));
  expect(plugins.taskClass(description)).toBe(expected);
});
