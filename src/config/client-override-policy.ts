/**
 * Which settings of its Kafka clients a connector may override: `connector.client.config.override.policy`. Source:
 * connect-rest §5.1.
 */
import { ConfigError } from '@millrace/sdk';
import { withoutPrefix } from './client-config';
import type { WorkerConfig } from './worker-config';

export const OVERRIDDEN_CLIENTS = ['producer', 'consumer', 'admin'] as const;

const PRINCIPAL = ['sasl.jaas.config', 'sasl.mechanism', 'security.protocol'];

export interface OverridePolicy {
  readonly name: string;
  /** @param key of a Kafka client, without `producer.override.` and so on */
  readonly allows: (key: string) => boolean;
}

export type OverridePolicySettings = Pick<WorkerConfig, 'clientOverridePolicy' | 'clientOverrideAllowlist'>;

export function overridePolicy({
  clientOverridePolicy: name,
  clientOverrideAllowlist,
}: OverridePolicySettings): OverridePolicy {
  switch (name) {
    case 'All':
      return { name, allows: () => true };
    case 'Principal':
      return { name, allows: (key) => PRINCIPAL.includes(key) };
    case 'Allowlist':
      return { name, allows: (key) => clientOverrideAllowlist.includes(key) };
    default:
      return { name: 'None', allows: () => false };
  }
}

export function refusal(policy: OverridePolicy, key: string): string {
  return `The '${policy.name}' policy does not allow '${key}' to be overridden in the connector configuration.`;
}

/**
 * The connector's settings of one of its clients. The policy of the worker that opens the client applies, not that of
 * the worker that accepted the config. Throws ConfigError CLIENT_OVERRIDE_REFUSED.
 */
export function allowedOverrides(
  worker: OverridePolicySettings,
  client: (typeof OVERRIDDEN_CLIENTS)[number],
  connector: Readonly<Record<string, string>>,
): Record<string, string> {
  const overrides = withoutPrefix(connector, `${client}.override.`);
  const policy = overridePolicy(worker);
  const refused = Object.keys(overrides).filter((key) => !policy.allows(key));
  if (refused.length > 0)
    throw new ConfigError(refused.map((key) => refusal(policy, key)).join(' '), { code: 'CLIENT_OVERRIDE_REFUSED' });
  return overrides;
}
