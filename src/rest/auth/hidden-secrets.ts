/**
 * Hides secrets in connector configs from callers that are not admins, while roles are set. Without roles, configs are
 * returned as in Java.
 */
import type { ConfigType, ConnectorConfig } from '@millrace/sdk';
import { hasPrivateKey, HIDDEN, isSecretName, type Owners, redactText } from '@millrace/texts/redaction';
import { embeddedPrefix } from '../../config/connector-config';
import { hiderOf } from '../../config/providers/hide-resolved';
import type { ConfigValidator } from '../../config/validation/config-infos';
import type { PluginRegistry } from '../../plugins/registry';
import type { Caller } from './access';
import { hiddenValue } from './access-error';

/** Keys of Connect itself, which are shown even if the plugin is unknown. */
const CONNECT_KEY =
  /^(?:name|connector\.class|connector\.plugin\.version|tasks\.max|topics(?:\.regex)?|transforms|predicates|config\.action\.reload|errors\..+|exactly\.once\.support|(?:transforms|predicates)\..+\.(?:predicate|negate))$/;
/** Classes whose keys are kept. */
const MAX_CLASSES = 256;

/** Types of keys; those of unknown plugins are missing. */
type KeyTypes = ReadonlyMap<string, ConfigType>;

/**
 * Hides the values of keys of type PASSWORD, of texts whose key is named like a secret, private keys, and credentials
 * in all other values. These are what a caller sent: values of config providers are not in them.
 *
 * @param unknown prefixes of the keys of plugins that could not be loaded: any of these keys may be a password
 */
export function hideSecrets(
  config: ConnectorConfig,
  types: KeyTypes,
  unknown: readonly string[] = [],
): ConnectorConfig {
  const mayBeSecret = (key: string): boolean =>
    !types.has(key) &&
    embeddedPrefix(key) === null &&
    !CONNECT_KEY.test(key) &&
    unknown.some((prefix) => key.startsWith(prefix));
  const shown = Object.entries(config).map(
    ([key, value]) => [key, mayBeSecret(key) && value ? HIDDEN : shownValue(key, value, types.get(key))] as const,
  );
  return Object.fromEntries(shown);
}

function shownValue(key: string, value: string, type: ConfigType | undefined): string {
  // Configs that Java wrote may have null values.
  if ((value as string | null) === null || value === '') return value;
  const isText = type === undefined || type === 'STRING';
  if (type === 'PASSWORD' || (isText && isSecretName(key)) || hasPrivateKey(value)) return HIDDEN;
  return redactText(value, value.length);
}

interface UsedPlugin {
  /** Of its keys. */
  readonly prefix: string;
  readonly plugin: string | undefined;
  /** As the config asks for it; other versions may have other passwords. */
  readonly version: string | undefined;
}

/** Converters, transformations and predicates. */
function embeddedPlugins(config: ConnectorConfig): UsedPlugin[] {
  return Object.entries(config).flatMap(([key, plugin]) => {
    const prefix = embeddedPrefix(key);
    return prefix === null ? [] : [{ prefix: `${prefix}.`, plugin, version: config[`${prefix}.plugin.version`] }];
  });
}

export class HiddenSecrets {
  private types = new Map<string, KeyTypes>();
  /** The plugins that `types` are of. */
  private plugins: ReturnType<PluginRegistry['list']> | null = null;

  constructor(
    private readonly hasRoles: boolean,
    private readonly validator: Pick<ConfigValidator, 'definitions'>,
    private readonly registry: Pick<PluginRegistry, 'list'>,
  ) {}

  hidesFrom(caller: Caller): boolean {
    return this.hasRoles && caller.role !== 'admin';
  }

  /**
   * Returns a function that hides in a text of the connector's plugins and servers, such as a trace, the secrets of
   * this config, and what logs hide. Callers that see secrets see the text as it is.
   */
  async inTexts(caller: Caller, config: ConnectorConfig): Promise<(text: string) => string> {
    return this.hidesFrom(caller) ? await this.inTextsFromAll(config) : (text) => text;
  }

  /** The same, whoever reads the text. */
  async inTextsFromAll(config: ConnectorConfig): Promise<(text: string) => string> {
    return await this.hider(config, config['name'] ?? null);
  }

  /** The same for what validation says, which may quote the config that a caller sent. */
  async inValidationOf(config: ConnectorConfig): Promise<(text: string) => string> {
    return await this.hider(config, undefined);
  }

  private async hider(config: ConnectorConfig, owners: Owners): Promise<(text: string) => string> {
    const shown = await this.shownToAll(config, config['connector.class']);
    const hide = hiderOf(shown, config);
    return (text) => {
      const hidden = hide(text, text.length);
      return redactText(hidden, hidden.length, owners);
    };
  }

  /**
   * The config as the caller may see it.
   * @param className `connector.class` of its connector
   * @param version `connector.plugin.version` of its connector. (Default: that of the config)
   */
  async shown(
    caller: Caller,
    config: ConnectorConfig,
    className: string | undefined,
    version?: string,
  ): Promise<ConnectorConfig> {
    return this.hidesFrom(caller) ? await this.shownToAll(config, className, version) : config;
  }

  /** The config without its secrets. */
  async shownToAll(
    config: ConnectorConfig,
    className: string | undefined,
    version = config['connector.plugin.version'],
  ): Promise<ConnectorConfig> {
    const types = new Map<string, ConfigType>();
    const unknown: string[] = [];
    const used: readonly UsedPlugin[] = [{ prefix: '', plugin: className, version }, ...embeddedPlugins(config)];
    for (const { prefix, plugin, version: asked } of used) {
      const found = plugin === undefined ? null : await this.typesOf(plugin, asked);
      if (found === null) unknown.push(prefix);
      for (const [key, type] of found ?? []) types.set(prefix + key, type);
    }
    return hideSecrets(config, types, unknown);
  }

  /** Throws AccessError 400 for a config with a hidden value, which would replace the secret by its mark. */
  requireWhole(config: Readonly<Record<string, string | null>>): void {
    if (this.hasRoles) this.requireNoMark(config);
  }

  /** The same while no roles are set, for configs that were shown without their secrets to everyone. */
  requireNoMark(config: Readonly<Record<string, string | null>>): void {
    const hidden = Object.entries(config).find(([, value]) => value?.includes(HIDDEN));
    if (hidden) throw hiddenValue(hidden[0]);
  }

  /** Null if this worker does not have the plugin in that version, or cannot load it. */
  private async typesOf(className: string, version: string | undefined): Promise<KeyTypes | null> {
    const plugins = this.registry.list();
    // A plugin whose files have changed may define other keys as passwords.
    if (plugins !== this.plugins || this.types.size >= MAX_CLASSES) this.types = new Map();
    this.plugins = plugins;
    const { types } = this;
    const key = JSON.stringify([className, version ?? null]);
    const known = types.get(key);
    if (known) return known;
    try {
      const definitions = await this.validator.definitions(className, version ?? null);
      const found = new Map(definitions.map(({ name, type }) => [name, type]));
      // Those of a plugin that has changed meanwhile are in a map that is no longer used.
      types.set(key, found);
      return found;
    } catch {
      return null;
    }
  }
}
