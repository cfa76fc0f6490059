import type { ConnectorConfig } from '@millrace/sdk';
import type { JavaPlugin } from '../java-plugin';
import type { JvmKey } from '../jvm/jvms';

/** Of a connector's config. */
export const HEAP_KEY = 'jvm.heap.mb';

/** Where a connector and its tasks run: in the JVM of their folder, unless the connector sizes one of its own. */
export function jvmKey({ location, classPath }: JavaPlugin, connector: string, config: ConnectorConfig): JvmKey {
  const heap = config[HEAP_KEY]?.trim();
  if (heap === undefined || heap === '') return { location, classPath };
  // The supervisor refuses what is no size.
  return { location, classPath, connector, heapMb: Number(heap) };
}
