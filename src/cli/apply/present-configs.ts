import type { ConnectClient } from '../rest/connect-client';
import type { Config } from './changes';

/** Configs of the connectors of the cluster, by name. */
export async function presentConfigs(client: ConnectClient): Promise<ReadonlyMap<string, Config>> {
  const found = await client.request<Record<string, { info?: { config?: Config } }>>('/connectors?expand=info');
  return new Map(Object.entries(found).map(([name, { info }]) => [name, info?.config ?? {}]));
}
