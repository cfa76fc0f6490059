/** Validation entries of a connector's client overrides. Source: connect-rest §3.6. */
import { HIDDEN, isSecretName } from '@millrace/texts/redaction';
import { CLIENT_KEYS } from '../client-keys';
import { OVERRIDDEN_CLIENTS, refusal, type OverridePolicy } from '../client-override-policy';
import { ConfigParseError, invalidValue, parseConfigValue, renderConfigValue } from '../config-parse';
import { describeKey, unknownEntry, valueOf, type Entry, type NullableConfig } from './entry';
import { ValidationError } from './validation-error';

interface Override {
  readonly client: (typeof OVERRIDDEN_CLIENTS)[number];
  /** With its prefix. */
  readonly key: string;
  readonly name: string;
  readonly value: string | null;
}

function overridesOf(config: NullableConfig): Override[] {
  return OVERRIDDEN_CLIENTS.flatMap((client) => {
    const prefix = `${client}.override.`;
    return Object.entries(config)
      .filter(([key]) => key.startsWith(prefix) && key !== prefix)
      .map(([key, value]) => ({ client, key, value, name: key.slice(prefix.length) }));
  });
}

/** The clients that Java believes the connector opens. @param exactlyOnce of the worker */
function expectedClients(type: 'source' | 'sink', config: NullableConfig, exactlyOnce: boolean): ReadonlySet<string> {
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
  return new Set(OVERRIDDEN_CLIENTS.filter((client) => uses[client]));
}

/**
 * One entry per override; none for an allowed one of a client that the connector does not open, as in Java.
 * `isPlaceholder`: the value comes from a config provider and must not be shown. `exactlyOnce`: the worker enables
 * exactly-once sources. Throws ValidationError 500 for a value that cannot be parsed, as Java does.
 */
export function overrideEntries(
  type: 'source' | 'sink',
  config: NullableConfig,
  policy: OverridePolicy,
  {
    isPlaceholder = () => false,
    exactlyOnce = false,
  }: { readonly isPlaceholder?: (key: string) => boolean; readonly exactlyOnce?: boolean } = {},
): Entry[] {
  const expected = expectedClients(type, config, exactlyOnce);
  return overridesOf(config).flatMap((override) => {
    const isAllowed = policy.allows(override.name);
    if (isAllowed && !expected.has(override.client)) return [];
    const errors = isAllowed ? [] : [refusal(policy, override.name)];
    return [{ ...entryOf(override, isPlaceholder(override.key)), errors }];
  });
}

function entryOf({ client, key, name, value }: Override, isPlaceholder: boolean): Entry {
  const known = CLIENT_KEYS[client].get(name);
  const unknown = unknownEntry(key, value !== null && isSecretName(name) ? HIDDEN : value, []);
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
