/** The registry of a converter, from its settings. */
import { createHash } from 'node:crypto';
import type { ConnectorConfig } from '@millrace/sdk';
import { connectionSettings, mockScope, type ConnectionSettings } from '../config/connection-settings';
import { clientText, integer } from '../config/read-settings';
import { registrySettings, type RegistrySettings } from '../config/registry-settings';
import { CachedRegistry } from './cached-registry';
import { Failover } from './failover';
import { HttpRegistry } from './http-registry';
import { memoryRegistry } from './memory-registry';
import type { SchemaRegistry } from './schema-registry';

export type { RegistrySettings };

export interface OpenRegistry {
  readonly client: SchemaRegistry;
  readonly settings: RegistrySettings;
}

/** Connectors of a thread share clients; those of former settings are replaced at some time. */
const MOST_CLIENTS = 32;
const clients = new Map<string, SchemaRegistry>();

/** Throws ConfigError. */
export function openRegistry(config: ConnectorConfig): OpenRegistry {
  const settings = registrySettings(config);
  const scope = mockScope(config);
  if (scope !== null) return { client: memoryRegistry(scope), settings };
  const connection = connectionSettings(config, {});
  const missing = ['missing.id.cache.ttl.sec', 'missing.schema.cache.ttl.sec', 'missing.version.cache.ttl.sec'];
  const missingTtl = Math.max(...missing.map((key) => integer(key, clientText(config, key), 0, -1)));
  return { client: sharedClient(connection, settings.latestTtlMs, missingTtl * 1_000), settings };
}

/** Converters with the same settings have the same client: its connections, and what it knows. */
function sharedClient(connection: ConnectionSettings, latestTtlMs: number, missingTtlMs: number): SchemaRegistry {
  const text = JSON.stringify([connection, String(latestTtlMs), missingTtlMs]);
  const key = createHash('sha256').update(text).digest('base64');
  const found = clients.get(key);
  if (found !== undefined) return found;
  const made = new CachedRegistry(new HttpRegistry(new Failover(connection)), { latestTtlMs, missingTtlMs });
  if (clients.size >= MOST_CLIENTS) clients.delete(clients.keys().next().value as string);
  clients.set(key, made);
  return made;
}
