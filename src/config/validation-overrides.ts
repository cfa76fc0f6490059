/**
 * `connector.client.config.override.policy` over the client settings of a connector. Settings that the policy allows are handed to the
 * client unchecked and not shown. Source: connect-rest §3.6, §5.1.
 */
import { HIDDEN } from './config-parse';
import { unknownEntry, valueOf, type Entry, type NullableConfig } from './validation-entry';

const PRINCIPAL = ['sasl.jaas.config', 'sasl.mechanism', 'security.protocol'];
const SECRET = /password|secret|jaas|token|credential|\.key$/i;

export function isSecretKey(key: string): boolean {
  return SECRET.test(key);
}

interface Policy {
  readonly name: string;
  readonly allows: (key: string) => boolean;
}

/** By short name in any case, or by Java class. Null: not one of the built-in policies. */
export function overridePolicy(setting: string, allowlist: readonly string[]): Policy | null {
  const short = /(?:^|\.)(\w+?)(?:ConnectorClientConfigOverridePolicy)?$/.exec(setting)?.[1]?.toLowerCase();
  switch (short) {
    case 'all':
      return { name: 'All', allows: () => true };
    case 'none':
      return { name: 'None', allows: () => false };
    case 'principal':
      return { name: 'Principal', allows: (key) => PRINCIPAL.includes(key) };
    case 'allowlist':
      return { name: 'Allowlist', allows: (key) => allowlist.includes(key) };
    default:
      return null;
  }
}

/** Prefixes of the clients this connector will use; overrides for others are ignored. */
function usedPrefixes(type: 'source' | 'sink', config: NullableConfig): readonly string[] {
  const present = (key: string): boolean => (valueOf(config, key) ?? '').trim() !== '';
  const createsTopics = Object.keys(config).some((key) => key.startsWith('topic.creation.'));
  const deadLetters = present('errors.deadletterqueue.topic.name');
  const ownOffsets = present('offsets.storage.topic');
  const uses = {
    producer: type === 'source' || deadLetters,
    consumer: type === 'sink' || ownOffsets,
    admin: type === 'source' ? createsTopics || ownOffsets : deadLetters,
  };
  return (['producer', 'consumer', 'admin'] as const).filter((kind) => uses[kind]).map((kind) => `${kind}.override.`);
}

export function overrideEntries(type: 'source' | 'sink', config: NullableConfig, policy: Policy): Entry[] {
  return usedPrefixes(type, config).flatMap((prefix) =>
    Object.entries(config)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => ({ key, value, name: key.slice(prefix.length) }))
      .filter(({ name }) => !policy.allows(name))
      .map(({ key, value, name }) =>
        unknownEntry(
          key,
          value !== null && isSecretKey(name) ? HIDDEN : value,
          `The '${policy.name}' policy does not allow '${name}' to be overridden in the connector configuration.`,
        ),
      ),
  );
}
