import type { ConnectorConfig } from '@millrace/sdk';

/**
 * Resolves placeholders of config providers in a config of the connector or of one of its tasks, and hides the values
 * in the connector's texts from then on. `expires` receives the time to live of the values, milliseconds.
 */
export type ResolveConfig = (
  config: ConnectorConfig,
  connector: string,
  expires?: (ttlMs: number) => void,
) => Promise<ConnectorConfig>;
