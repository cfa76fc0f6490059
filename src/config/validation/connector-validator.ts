/**
 * Validates a connector config in Java's order: framework keys, transformations and predicates, the plugin's keys,
 * client overrides, converters. Sources: connect-rest §3, connect-runtime §10.7.
 */
import { checkProblems, type ConfigKey, type ConfigWarning, type Connector, type WorkerSettings } from '@millrace/sdk';
import { HIDDEN, hideProvidedValues, hideSecretsIn, isSecret } from '@millrace/texts/redaction';
import { silentLogger, type Logger } from '../../logging/logger';
import { candidates } from '../../plugins/aliases';
import { grantedSettings } from '../../plugins/granted-settings';
import { didYouMean, nearestClasses } from '../../plugins/missing-class';
import type { PluginDescription, PluginRegistry } from '../../plugins/registry';
import { overridePolicy } from '../client-override-policy';
import { commonKeys, frameworkKeys, type Choices } from '../connector-config';
import type { ConfigResolver } from '../providers/config-resolver';
import { hideInError, hiderOf, type HideResolved } from '../providers/hide-resolved';
import { hasPlaceholder } from '../providers/placeholders';
import type { JsonSchema } from '../schema/key-schema';
import { noSuchVersion, VersionRange } from '../../plugins/version-range';
import type { WorkerConfig } from '../worker-config';
import { aliasEntries, PREDICATES, TRANSFORMS } from './alias-keys';
import { overrideEntries } from './client-overrides';
import type { Checks, ConfigDefinitionInfo, ConfigInfos, ConfigValidator } from './config-infos';
import {
  CONVERTER_PARTS,
  converterChoices,
  converterEntries,
  findConverter,
  findUnambiguous,
  ofVersion,
  loadForCheck,
} from './converter-keys';
import {
  checkKey,
  unknownEntry,
  valueInfo,
  valueOf,
  withHints,
  withoutNulls,
  type Entry,
  type NullableConfig,
} from './entry';
import { PluginDefinitions } from './plugin-definitions';
import { allWarnings } from './all-warnings';
import { ineffectiveKeyWarnings } from './ineffective-keys';
import { ownEntries } from './own-keys';
import { checkSinkGroup, checkSinkTopics } from './sink-rules';
import { checkSourcePromises } from './source-rules';
import { unknownKeyWarnings } from './unknown-keys';
import { ValidationError, withinStage } from './validation-error';
import { reportStep } from './validation-step';
import { checkedEntry, ownValues, shownOf, withErrorsOf, type CheckOwnValues, type OwnValues } from './own-values';

export interface ConfigValidatorOptions {
  readonly registry: PluginRegistry;
  readonly config: WorkerConfig;
  /** Replaces placeholders before validation. (Default: they are literal text) */
  readonly resolver?: Pick<ConfigResolver, 'resolve'>;
  /** Receives errors of plugins that an answer does not explain. (Default: none) */
  readonly logger?: Logger;
  /** Time limit of a plugin's `validate`, milliseconds. (Default: 90000, connect-rest §0.6) */
  readonly pluginLimitMs?: number;
}

/** For an alias whose value comes from a config provider: entries for its keys would disclose it. */
const ALIAS_WITHOUT_KEYS = 'The configuration has no keys for one of these aliases.';
/** Each adds about 2 KB to the response: a list of 60 KB produced 24 MB. */
const MAX_ALIASES = 200;
/** Java's texts list all connectors and may contain several errors. Characters. */
const THROWN_LIMIT = 32_768;
const NULL_VALUE = 'Null value can not be supplied as the configuration value.';

export function createConfigValidator(options: ConfigValidatorOptions): ConfigValidator {
  return new Validator(options);
}

/** Entries in the order of the response. Those without a definition come first. */
class Entries {
  private readonly known = new Map<string, Entry>();
  private readonly unknown = new Map<string, Entry>();
  /** A key may have both an override entry and another entry with its own message. Each counts. */
  private overrides: readonly Entry[] = [];
  /** Position of the overrides in `known`. */
  private overridesAt = 0;
  private readonly groups = new Set<string>();
  /** Set once all entries are there. */
  warnings: readonly ConfigWarning[] = [];

  get byName(): ReadonlyMap<string, Entry> {
    return this.known;
  }

  /** A later definition of a key replaces the earlier one and its errors. */
  put(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.known.set(entry.name, entry);
      if (entry.definition?.group != null) this.groups.add(entry.definition.group);
    }
  }

  /** What a plugin that checks all values has returned, in Java's order: values without a definition come first. */
  putChecked(keys: readonly ConfigKey[], values: OwnValues): void {
    const left = new Map(values);
    this.put(
      keys.map((key) => {
        const value = left.get(key.name);
        left.delete(key.name);
        return checkedEntry(key, value);
      }),
    );
    for (const [name, value] of left) {
      const known = this.known.get(name);
      if (known) this.known.set(name, withErrorsOf(known, value));
      else this.putUnknown({ ...unknownEntry(name, value.value, [...value.errors]), ...shownOf(value) });
    }
  }

  putOverrides(entries: readonly Entry[]): void {
    this.overrides = entries;
    this.overridesAt = this.known.size;
  }

  addError(name: string, value: string | null, message: string): void {
    const entry = this.known.get(name) ?? this.unknown.get(name);
    if (entry) entry.errors.push(message);
    else this.putUnknown(unknownEntry(name, value, [message]));
  }

  /** Of all entries: an error tells enough about a key without a definition. */
  get names(): ReadonlySet<string> {
    return new Set([...this.known.keys(), ...this.unknown.keys()]);
  }

  /** Adds an entry that is shown without a definition. */
  putUnknown(entry: Entry): void {
    this.unknown.set(entry.name, entry);
  }

  /**
   * Keys in `resolved` show their placeholder instead of the resolved value, and no messages about it. `hide` removes
   * resolved values from the messages of other keys.
   */
  result(name: string, { resolved, unchecked, hide }: Placeholders, isForForm: boolean): ConfigInfos {
    const known = [...this.known.values()];
    known.splice(this.overridesAt, 0, ...this.overrides);
    const all = [...this.unknown.values(), ...known].map((entry) => {
      const unresolved = unchecked.get(entry.name);
      if (unresolved !== undefined) return { ...entry, value: unresolved, errors: [] };
      const placeholder = resolved.get(entry.name);
      if (placeholder === undefined) return { ...entry, errors: entry.errors.map((message) => hide(message)) };
      const reason = 'the value resolved from the config provider reference failed validation';
      const errors = entry.errors.length === 0 ? [] : [`Invalid value for configuration '${entry.name}': ${reason}`];
      return { ...entry, value: placeholder, recommended: [], errors };
    });
    const count = all.reduce((sum, entry) => sum + entry.errors.length, 0);
    return {
      name,
      error_count: count,
      groups: [...this.groups],
      configs: all.map((entry) => ({
        definition: isForForm && entry.definition ? withHints(entry.definition, entry.hints) : entry.definition,
        value: valueInfo(entry),
      })),
      ...(this.warnings.length > 0 && {
        warnings: this.warnings.map((warning) => ({ ...warning, message: hide(warning.message) })),
      }),
    };
  }
}

interface Placeholders {
  /** Values whose placeholders were replaced, as they were sent. */
  readonly resolved: ReadonlyMap<string, string>;
  /** Values whose placeholders are left as they are. */
  readonly unchecked: ReadonlyMap<string, string>;
  readonly hide: HideResolved;
}

class Validator implements ConfigValidator {
  private readonly registry: PluginRegistry;
  private readonly worker: WorkerConfig;
  private readonly resolver: Pick<ConfigResolver, 'resolve'> | undefined;
  private readonly logger: Logger;
  private readonly pluginLimitMs: number;
  private readonly plugins: PluginDefinitions;

  constructor(options: ConfigValidatorOptions) {
    this.registry = options.registry;
    this.worker = options.config;
    this.resolver = options.resolver;
    this.logger = options.logger ?? silentLogger;
    this.pluginLimitMs = options.pluginLimitMs ?? 90_000;
    this.plugins = new PluginDefinitions(options.registry, options.config);
  }

  async validate(sent: NullableConfig, checks: Checks = 'all', isForForm = false): Promise<ConfigInfos> {
    const asSent = valueOf(sent, 'connector.class');
    if (asSent == null) {
      throw new ValidationError(400, `Connector config ${showMap(sent)} contains no connector type`);
    }
    const config = this.resolver && checks === 'all' ? await this.resolver.resolve(sent) : sent;
    const given = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== null);
    const resolved = new Map(given.filter(([key, value]) => value !== (valueOf(config, key) ?? null)));
    const isUnchecked = this.resolver !== undefined && checks === 'keys';
    const unchecked = new Map(isUnchecked ? given.filter(([, value]) => hasPlaceholder(value)) : []);
    const hide = hiderOf(sent, config);
    const placeholders: Placeholders = { resolved, unchecked, hide };
    try {
      const entries = await this.check(valueOf(config, 'connector.class') ?? '', config, placeholders, checks);
      return entries.result(asSent, placeholders, isForForm);
    } catch (error) {
      throw hideInError(error, hide, THROWN_LIMIT);
    }
  }

  private async check(
    className: string,
    config: NullableConfig,
    { resolved, unchecked, hide }: Placeholders,
    checks: Checks,
  ): Promise<Entries> {
    const preferred = this.findConnector(className);
    const choices: Choices = {
      ...this.plugins.versionChoices(preferred),
      ...converterChoices(
        config,
        { key: this.worker.keyConverter, value: this.worker.valueConverter, header: this.worker.headerConverter },
        this.registry,
      ),
    };
    const checkOwn = ownValues(checks, this.pluginLimitMs, hide);
    const entries = new Entries();
    const range = requestedVersion(config);
    const asked = valueOf(config, 'connector.plugin.version');
    const ofRange = range && findUnambiguous(this.registry, preferred.class, preferred.type, asked);
    if (range && !ofRange) return this.unknownVersion(className, preferred, range, config, choices);
    const plugin = ofRange ?? preferred;
    const connector = (await loadForCheck(this.registry, plugin)) as Connector;

    entries.put(frameworkKeys(connector.type, choices).map((key) => checkKey(key, config)));
    entries.put(ownEntries(config, this.worker));
    for (const kind of [TRANSFORMS, PREDICATES]) {
      const aliases = entries.byName.get(kind.listKey)?.parsed;
      if (!Array.isArray(aliases)) continue;
      if (aliases.length > MAX_ALIASES) {
        entries.addError(
          kind.listKey,
          null,
          `There are ${aliases.length} aliases, but at most ${MAX_ALIASES} are allowed.`,
        );
        continue;
      }
      const shown = (aliases as readonly string[]).filter(
        (alias) => !resolved.has(kind.listKey) || isSpelled(kind.listKey, alias, config),
      );
      if (shown.length < aliases.length) entries.addError(kind.listKey, null, ALIAS_WITHOUT_KEYS);
      entries.put(await aliasEntries(kind, shown, config, this.registry, checkOwn));
    }
    if (connector.type === 'sink') checkSinkTopics(entries.byName, config);
    else if (checks === 'all')
      await checkSourcePromises(entries.byName, config, {
        connector,
        isEnabled: this.worker.exactlyOnceSourceSupport === 'enabled',
        logger: this.logger,
        hidden: (error) => hideInError(error, hide, THROWN_LIMIT),
        call: async (method, run) => {
          reportStep(`the call of ${method}() in ${plugin.class}`);
          const stage = 'validating source connector-specific properties for the connector';
          return await withinStage(Promise.resolve().then(run), this.pluginLimitMs, stage);
        },
      });
    for (const [key, value] of Object.entries(config)) {
      if (value === null && !connector.config.some(({ name }) => name === key)) entries.addError(key, null, NULL_VALUE);
    }

    const values = await checkOwn(plugin.class, connector, withoutNulls(config));
    if (values === null) await this.checkOwnKeys(plugin, connector, checks, config, unchecked, entries);
    else entries.putChecked(connector.config, values);

    this.checkClients(connector, config, entries, (key) => resolved.has(key));
    await this.checkConverters(config, entries, checkOwn);
    const groups = entries.byName.get('topic.creation.groups')?.parsed;
    const unknown = unknownKeyWarnings(Object.keys(config), {
      names: entries.names,
      topicGroups: connector.type === 'sink' ? null : Array.isArray(groups) ? (groups as readonly string[]) : [],
    });
    const ineffective = ineffectiveKeyWarnings(connector.type, entries.byName, config);
    entries.warnings = allWarnings(unknown, connector, plugin.class, withoutNulls(config), ineffective);
    return entries;
  }

  async definitions(
    name: string,
    version?: string | null,
    isForForm = false,
  ): Promise<readonly ConfigDefinitionInfo[]> {
    return await this.plugins.definitions(name, version, isForForm);
  }

  async schema(name: string, version?: string | null): Promise<JsonSchema> {
    return await this.plugins.schema(name, version);
  }

  private findConnector(className: string): PluginDescription {
    const connectors = this.registry.list().filter(({ type }) => type === 'source' || type === 'sink');
    let plugin: PluginDescription | null;
    try {
      plugin = this.registry.find(className, ['source', 'sink']);
    } catch (error) {
      const classes = [...new Set(candidates(className, connectors).map((match) => match.class))];
      throw new ValidationError(
        400,
        `More than one connector matches alias ${className}. Please use full package and class name instead. Classes found: ${classes.join(', ')}`,
        { cause: error },
      );
    }
    if (plugin) return plugin;
    const found = `Failed to find any class that implements Connector and which name matches ${className}`;
    const [question] = didYouMean(
      nearestClasses(
        className,
        connectors.map((connector) => connector.class),
      ),
    );
    if (question !== undefined) throw new ValidationError(400, `${found}. ${question}`);
    const available = connectors.map(
      ({ class: name, version, type, location }) =>
        `PluginDesc{klass=class ${name}, name='${name}', version='${version}', encodedVersion=${version}, type=${type}, typeName='${type}', location='${location}'}`,
    );
    throw new ValidationError(400, `${found}, available connectors are: ${available.join(', ')}`);
  }

  private unknownVersion(
    className: string,
    plugin: PluginDescription,
    range: VersionRange,
    config: NullableConfig,
    choices: Choices,
  ): Entries {
    const entries = new Entries();
    entries.put(commonKeys(choices).map((key) => checkKey(key, config)));
    const message = noSuchVersion(plugin.class, range, this.registry.list());
    entries.addError('connector.class', className, message);
    entries.addError('connector.plugin.version', valueOf(config, 'connector.plugin.version') ?? null, message);
    return entries;
  }

  /** For a plugin that leaves it to the runtime, or whose own code must not run. */
  private async checkOwnKeys(
    plugin: PluginDescription,
    connector: Connector,
    checks: Checks,
    config: NullableConfig,
    unchecked: Placeholders['unchecked'],
    entries: Entries,
  ): Promise<void> {
    const own = connector.config.map((key) => checkKey(key, withoutNullsOf(config, connector.config)));
    const method = checks === 'all' ? 'validate' : 'checkKeys';
    // Such a plugin reports these errors in its own words, in `validateWithPlugin`.
    const checksOwn = connector.validatesValues === true && connector[method] !== undefined;
    for (const entry of own) if (checksOwn || unchecked.has(entry.name)) entry.errors.length = 0;
    entries.put(own);
    const settings = grantedSettings(plugin, this.worker.raw);
    if (own.some((entry) => entry.errors.length > 0)) return;
    reportStep(`the call of ${method}() in ${plugin.class}`);
    await this.validateWithPlugin(plugin.class, connector, method, settings, config, entries);
  }

  /** Called only when all of the plugin's keys are valid, so that it does not connect with an incomplete config. */
  private async validateWithPlugin(
    className: string,
    connector: Connector,
    method: 'validate' | 'checkKeys',
    workerSettings: WorkerSettings,
    config: NullableConfig,
    entries: Entries,
  ): Promise<void> {
    if (!connector[method]) return;
    const returned = await withinStage(
      Promise.resolve(connector[method](withoutNulls(config), workerSettings)),
      this.pluginLimitMs,
      'performing multi-property validation for the connector',
    );
    const problems = checkProblems(returned, className);
    // Not the worker's other values: the plugin knows none, and its message may quote what the caller sent.
    const granted = Object.entries(workerSettings).map(([name, value = '']) => [name, value] as const);
    const shown = Object.fromEntries(granted.map(([name, value]) => [name, hideProvidedValues(value, null)]));
    const hide = hiderOf(shown, Object.fromEntries(granted));
    for (const { key, message } of problems) entries.addError(key, valueOf(config, key) ?? null, hide(message));
  }

  private checkClients(
    connector: Connector,
    config: NullableConfig,
    entries: Entries,
    isPlaceholder: (key: string) => boolean,
  ): void {
    entries.putOverrides(
      overrideEntries(connector.type, config, overridePolicy(this.worker), {
        isPlaceholder,
        exactlyOnce: this.worker.exactlyOnceSourceSupport === 'enabled',
      }),
    );
    if (connector.type === 'sink') {
      const group = checkSinkGroup(entries.byName, config, this.worker.groupId);
      if (group) entries.putUnknown(group);
    }
  }

  private async checkConverters(config: NullableConfig, entries: Entries, checkOwn: CheckOwnValues): Promise<void> {
    for (const part of CONVERTER_PARTS) {
      const entry = entries.byName.get(`${part}.converter`);
      if (!entry || valueOf(config, entry.name) == null) continue;
      const plugin = findConverter(part, entry, this.registry);
      const version = entries.byName.get(`${part}.converter.plugin.version`);
      const chosen = plugin && ofVersion(plugin, entry, version, config, this.registry);
      if (chosen) entries.put(await converterEntries(part, chosen, entry, config, this.registry, checkOwn));
    }
  }
}

/** Throws the version parser's message as a 400. */
function requestedVersion(config: NullableConfig): VersionRange | null {
  try {
    return VersionRange.parse(valueOf(config, 'connector.plugin.version'));
  } catch (error) {
    throw new ValidationError(400, (error as Error).message, { cause: error });
  }
}

/** As in Java, null for a plugin's key that has a default counts as absent. */
function withoutNullsOf(config: NullableConfig, own: readonly ConfigKey[]): NullableConfig {
  const optional = new Set(own.filter((key) => key.default !== undefined).map((key) => key.name));
  return Object.fromEntries(Object.entries(config).filter(([key, value]) => value !== null || !optional.has(key)));
}

function isSpelled(listKey: string, alias: string, config: NullableConfig): boolean {
  return Object.keys(config).some((key) => key.startsWith(`${listKey}.${alias}.`));
}

/** Java's `Map.toString()`. Values of keys that look like secrets are hidden. */
function showMap(config: NullableConfig): string {
  const shown = Object.entries(config).map(
    ([key, value]) => `${key}=${value !== null && isSecret(key, value) ? HIDDEN : hideSecretsIn(String(value))}`,
  );
  return `{${shown.join(', ')}}`;
}
