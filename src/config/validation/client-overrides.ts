/**
 * Applies `connector.client.config.override.policy` to a connector's client overrides: their validation entries, and
 * the overrides that are not allowed. Source: connect-rest §3.6, §5.1.
 */
import { CLIENT_KEYS } from '../client-keys/client-keys';
import { ConfigParseError, HIDDEN, invalidValue, parseConfigValue, renderConfigValue } from '../config-parse';
import { describeKey, unknownEntry, valueOf, type Entry, type NullableConfig } from './entry';
import { ValidationError } from './validation-error';

const PRINCIPAL = ['sasl.jaas.config', 'sasl.mechanism', 'security.protocol'];
const SECRET = /password|secret|jaas|token|credential|(?:\.|api|app|access|account)[._-]?key$/i;

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

type ClientKind = keyof typeof CLIENT_KEYS;

interface Override {
  readonly client: ClientKind;
  /** With its prefix. */
  readonly key: string;
  readonly name: string;
  readonly value: string | null;
}

/** Overrides for the clients that this connector uses. Others are ignored. @param exactlyOnce of the worker. */
function overridesOf(type: 'source' | 'sink', config: NullableConfig, exactlyOnce: boolean): Override[] {
  const present = (key: string): boolean => (valueOf(config, key) ?? '').trim() !== '';
  const createsTopics = Object.keys(config).some((key) => key.startsWith('topic.creation.'));
  const deadLetters = present('errors.deadletterqueue.topic.name');
  // They have clients of their own for their offsets.
  const ownOffsets = type === 'source' && (exactlyOnce || present('offsets.storage.topic'));
  const uses = {
    producer: type === 'source' || deadLetters,
    consumer: type === 'sink' || ownOffsets,
    admin: type === 'source' ? createsTopics || ownOffsets : deadLetters,
  };
  return (['producer', 'consumer', 'admin'] as const)
    .filter((client) => uses[client])
    .flatMap((client) => {
      const prefix = `${client}.override.`;
      return Object.entries(config)
        .filter(([key]) => key.startsWith(prefix) && key !== prefix)
        .map(([key, value]) => ({ client, key, value, name: key.slice(prefix.length) }));
    });
}

function refusal(policy: Policy, name: string): string {
  return `The '${policy.name}' policy does not allow '${name}' to be overridden in the connector configuration.`;
}

/** One sentence per override that the policy does not allow. */
export function refusedOverrides(
  type: 'source' | 'sink',
  config: NullableConfig,
  policy: Policy,
  exactlyOnce = false,
): string[] {
  return overridesOf(type, config, exactlyOnce)
    .filter(({ name }) => !policy.allows(name))
    .map(({ name }) => refusal(policy, name));
}

/**
 * One entry per override. `isPlaceholder`: the value comes from a config provider and must not be shown. `exactlyOnce`:
 * the worker enables exactly-once sources. Throws ValidationError 500 for a value that cannot be parsed, as Java does.
 */
export function overrideEntries(
  type: 'source' | 'sink',
  config: NullableConfig,
  policy: Policy,
  {
    isPlaceholder = () => false,
    exactlyOnce = false,
  }: { readonly isPlaceholder?: (key: string) => boolean; readonly exactlyOnce?: boolean } = {},
): Entry[] {
  return overridesOf(type, config, exactlyOnce).map((override) => {
    const errors = policy.allows(override.name) ? [] : [refusal(policy, override.name)];
    return { ...entryOf(override, isPlaceholder(override.key)), errors };
  });
}

function entryOf({ client, key, name, value }: Override, isPlaceholder: boolean): Entry {
  const known = CLIENT_KEYS[client].get(name);
  const unknown = unknownEntry(key, value !== null && isSecretKey(name) ? HIDDEN : value, []);
  if (!known) return unknown;
  try {
    const parsed = value === null ? null : parseConfigValue(known.type, value);
    const definition = { ...describeKey(known), name: key };
    return { ...unknown, definition, parsed, value: renderConfigValue(known.type, parsed) };
  } catch (error) {
    if (!(error instanceof ConfigParseError)) throw error;
    const shown = isPlaceholder ? HIDDEN : String(value);
    const javaClass = 'org.apache.kafka.common.config.ConfigException';
    throw new ValidationError(500, invalidValue(name, shown, error.reason), { javaClass, cause: error });
  }
}
