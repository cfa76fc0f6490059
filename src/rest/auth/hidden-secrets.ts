/**
 * Hides secrets in connector configs from callers that are not admins, while roles are set. Without roles, configs are
 * returned as in Java.
 */
import type { ConfigType, ConnectorConfig } from '@millrace/sdk';
import type { ConfigValidator } from '../../config/validation/config-infos';
import { isSecretName, redactText } from '../../logging/redact';
import type { Caller } from './access';
import { hiddenValue } from './access-error';

const HIDDEN = '[hidden]';
/** Classes whose keys are kept. */
const MAX_CLASSES = 256;

/** Types of a plugin's keys. */
type KeyTypes = ReadonlyMap<string, ConfigType>;

/**
 * Hides the values of keys of type PASSWORD, and of texts whose key is named like a secret. In all other values, hides
 * what logs hide.
 * @param types null: the plugin is unknown
 */
export function hideSecrets(config: ConnectorConfig, types: KeyTypes | null): ConnectorConfig {
  const shown = Object.entries(config).map(([key, value]) => [key, shownValue(key, value, types?.get(key))] as const);
  return Object.fromEntries(shown);
}

function shownValue(key: string, value: string, type: ConfigType | undefined): string {
  // Configs that Java wrote may have null values.
  if ((value as string | null) === null || value === '') return value;
  const isText = type === undefined || type === 'STRING';
  if (type === 'PASSWORD' || (isText && isSecretName(key))) return HIDDEN;
  return redactText(value, value.length);
}

export class HiddenSecrets {
  private readonly types = new Map<string, KeyTypes>();

  constructor(
    private readonly hasRoles: boolean,
    private readonly validator: Pick<ConfigValidator, 'definitions'>,
  ) {}

  /** The config as the caller may see it. `className`: `connector.class` of its connector. */
  async shown(caller: Caller, config: ConnectorConfig, className: string | undefined): Promise<ConnectorConfig> {
    if (!this.hasRoles || caller.role === 'admin') return config;
    return hideSecrets(config, className === undefined ? null : await this.typesOf(className));
  }

  /** Throws AccessError 400 for a config with a hidden value, which would replace the secret by its mark. */
  requireWhole(config: Readonly<Record<string, string | null>>): void {
    if (!this.hasRoles) return;
    const hidden = Object.entries(config).find(([, value]) => value?.includes(HIDDEN));
    if (hidden) throw hiddenValue(hidden[0]);
  }

  /** Null if this worker does not have the plugin, or cannot load it. */
  private async typesOf(className: string): Promise<KeyTypes | null> {
    const known = this.types.get(className);
    if (known) return known;
    try {
      const definitions = await this.validator.definitions(className);
      const found = new Map(definitions.map(({ name, type }) => [name, type]));
      if (this.types.size >= MAX_CLASSES) this.types.clear();
      this.types.set(className, found);
      return found;
    } catch {
      return null;
    }
  }
}
