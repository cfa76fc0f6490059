/** The registry of a converter, from its settings. */
import { ConfigError, type ConnectorConfig } from '@millrace/sdk';
import type { SchemaRegistry } from './schema-registry';

export interface RegistrySettings {
  /** `auto.register.schemas` */
  readonly autoRegister: boolean;
  /** `normalize.schemas` */
  readonly normalize: boolean;
  /** `use.latest.version` */
  readonly useLatestVersion: boolean;
  /** `latest.compatibility.strict` (for `use.schema.id`: `id.compatibility.strict`) */
  readonly latestStrict: boolean;
  /** `use.schema.id`; null: not set */
  readonly useSchemaId: number | null;
  /** By the naming strategy. Throws DataError if that needs the record's name, and there is none. */
  subject(topic: string, isKey: boolean, recordName: string | null): string;
}

export interface OpenRegistry {
  readonly client: SchemaRegistry;
  readonly settings: RegistrySettings;
}

/** Throws ConfigError. */
export function openRegistry(_config: ConnectorConfig): OpenRegistry {
  throw new ConfigError('There is no client of a schema registry yet.');
}
