/** Reads from a connector's module what the runtime must know of it. Pure. */
import type { Connector } from '@millrace/sdk';
import type { ConnectorTraits } from './host';

export function traitsOf(plugin: Connector): ConnectorTraits {
  return {
    creates: plugin.create !== undefined,
    altersOffsets: plugin.alterOffsets !== undefined,
    taskClass: typeof plugin.taskClass === 'string' && plugin.taskClass !== '' ? plugin.taskClass : null,
    partitionOrder: (plugin.type === 'source' && plugin.partitionOrder) || 'hash-map',
    taskCountKey: (plugin.type === 'source' && plugin.taskCountKey) || null,
  };
}
