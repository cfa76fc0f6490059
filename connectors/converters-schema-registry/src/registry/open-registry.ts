/** The registry of a converter, from its settings. */
import { createHash } from 'node:crypto';
import type { ConnectorConfig } from '@millrace/sdk';
import { connectionSettings, mockScope, type ConnectionSettings } from '../config/connection-settings';
import { clientText, integer } from '../config/read-settings';
import { registrySettings, type RegistrySettings } from '../config/registry-settings';
import { CachedRegistry, type CacheSettings } from './cached-registry';
import { Failover } from './failover';
import { HttpRegistry } from './http-registry';
import { memoryRegistry } from './memory-registry';
import type { SchemaRegistry } from './schema-registry';
import { Verifier } from './verifier';

export type { RegistrySettings };

export interface OpenRegistry {
  readonly client: SchemaRegistry;
  readonly settings: RegistrySettings;
}

/** Connectors of a thread share clients; those of former settings are replaced at some time. */
const MOST_CLIENTS = 32;
/** Settings that a client depends on. */
const OF_CLIENT = /^(?:schema\.registry|basic\.auth|bearer\.auth|proxy|http|missing|latest\.cache)\./;
const clients = new Map<string, SchemaRegistry>();

/** Throws ConfigError. */
export function openRegistry(config: ConnectorConfig): OpenRegistry {
  const settings = registrySettings(config);
  const scope = mockScope(config);
  if (scope !== null) return { client: memoryRegistry(scope), settings };
  const missing = ['missing.id.cache.ttl.sec', 'missing.schema.cache.ttl.sec', 'missing.version.cache.ttl.sec'];
  const missingTtl = Math.max(...missing.map((key) => integer(key, clientText(config, key), 0, -1)));
  const cache = { latestTtlMs: settings.latestTtlMs, missingTtlMs: missingTtl * 1_000 };
  return { client: sharedClient(config, connectionSettings(config), cache), settings };
}

/** Converters with the same settings have the same client: its connections, and what it knows. */
function sharedClient(config: ConnectorConfig, connection: ConnectionSettings, cache: CacheSettings): SchemaRegistry {
  const own = Object.entries(config).filter(([name]) => OF_CLIENT.test(name));
  // With the content of key stores, whose files may have changed.
  const text = JSON.stringify([own.sort(), connection]);
  const key = createHash('sha256').update(text).digest('base64');
  const found = clients.get(key);
  if (found !== undefined) return found;
  const verifier = new Verifier();
  const registry = new HttpRegistry(new Failover(connection, verifier.suspect));
  const made = new CachedRegistry(registry, cache, verifier);
  if (clients.size >= MOST_CLIENTS) clients.delete(clients.keys().next().value as string);
  clients.set(key, made);
  return made;
}
