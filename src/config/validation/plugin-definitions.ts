/** The keys that installed plugins define, as REST shows them and as JSON Schema. Source: connect-rest §1.20. */
import type { ConfigKey, Connector, PluginType } from '@millrace/sdk';
import { prunedName, simpleName } from '../../plugins/aliases';
import type { PluginDescription, PluginRegistry } from '../../plugins/registry';
import { frameworkKeys, NO_CHOICES, type Choices } from '../connector-config';
import type { FrameworkKey } from '../framework-key';
import { MILLRACE_KEYS } from '../millrace-keys';
import { connectorSchema, pluginSchema, type ConverterSubject } from '../schema/connector-schema';
import type { JsonSchema } from '../schema/key-schema';
import { noSuchVersion, VersionRange } from '../../plugins/version-range';
import type { WorkerConfig } from '../worker-config';
import type { ConfigDefinitionInfo } from './config-infos';
import {
  CONVERTER_PARTS,
  converterChoices,
  converterType,
  findUnambiguous,
  loadForCheck,
  versionsOf,
} from './converter-keys';
import { describeForForm, describeKey } from './entry';
import { ValidationError } from './validation-error';

export class PluginDefinitions {
  constructor(
    private readonly registry: PluginRegistry,
    private readonly worker: WorkerConfig,
  ) {}

  async definitions(
    name: string,
    version?: string | null,
    withHints = false,
  ): Promise<readonly ConfigDefinitionInfo[]> {
    const describe = (key: ConfigKey): ConfigDefinitionInfo => (withHints ? describeForForm(key) : describeKey(key));
    const plugin = this.find(name, version);
    const own = await this.keysOf(plugin);
    const { type } = plugin;
    if (type !== 'source' && type !== 'sink') return own.map(describe);
    const choices = { ...NO_CHOICES, ...this.versionChoices(plugin) };
    return [...own, ...missingIn(own, frameworkKeys(type, choices))].map(describe);
  }

  async schema(name: string, version?: string | null): Promise<JsonSchema> {
    const plugin = this.find(name, version);
    const { type, class: className } = plugin;
    const loaded = (await loadForCheck(this.registry, plugin)) as Partial<Connector>;
    const own = loaded.config ?? [];
    if (type !== 'source' && type !== 'sink') return pluginSchema({ class: className, version: plugin.version, own });
    const { keyConverter: key, valueConverter: value, headerConverter: header } = this.worker;
    const choices = {
      ...this.versionChoices(plugin),
      ...converterChoices({}, { key, value, header }, this.registry),
    };
    return connectorSchema({
      class: className,
      version: plugin.version,
      type,
      names: this.namesOf(plugin, ['source', 'sink']),
      own,
      framework: missingIn(own, [
        ...frameworkKeys(type, choices).map((one) => this.withConverterNames(one)),
        ...Object.values(MILLRACE_KEYS),
      ]),
      ownChecks: loaded.validatesValues === true,
      converters: await this.builtInConverters(),
      transformations: this.classesOf('transformation'),
      predicates: this.classesOf('predicate'),
    });
  }

  /** @param plugin of any version */
  versionChoices(plugin: PluginDescription): Pick<Choices, 'connectorVersion' | 'connectorVersions'> {
    const { class: name, type } = plugin;
    return {
      connectorVersion: findUnambiguous(this.registry, name, type)?.version ?? null,
      connectorVersions: versionsOf(plugin, this.registry.list()),
    };
  }

  private find(name: string, version: string | null | undefined): PluginDescription {
    const plugin = this.findAny(name);
    let range: VersionRange | null;
    try {
      range = VersionRange.parse(version);
    } catch (error) {
      throw new ValidationError(400, `Invalid version specification: ${version}`, { cause: error });
    }
    if (!range) return plugin;
    const found = findUnambiguous(this.registry, plugin.class, plugin.type, version);
    if (found) return found;
    throw new ValidationError(400, noSuchVersion(plugin.class, range, this.registry.list()));
  }

  private findAny(name: string): PluginDescription {
    // A name that two plugins share counts as unknown (Appendix R 11).
    const plugin = findUnambiguous(this.registry, name);
    if (plugin) return plugin;
    if (!isUnlistedPlugin(name)) throw new ValidationError(404, `Unknown plugin ${name}.`);
    const types = 'sink, source, converter, header_converter, transformation, predicate';
    throw new ValidationError(400, `Invalid plugin class ${name}. Valid types are ${types}.`);
  }

  private async keysOf(plugin: PluginDescription): Promise<readonly ConfigKey[]> {
    return ((await loadForCheck(this.registry, plugin)) as { config?: readonly ConfigKey[] }).config ?? [];
  }

  private classesOf(type: PluginType): readonly string[] {
    return [...new Set(this.ofType(type).map((plugin) => plugin.class))];
  }

  private ofType(type: PluginType): readonly PluginDescription[] {
    return this.registry.list().filter((plugin) => plugin.type === type);
  }

  /** Names that a config may have for the plugin: those of which it is the only one. */
  private namesOf(plugin: PluginDescription, types: readonly PluginType[]): readonly string[] {
    const { class: name, aliases, type } = plugin;
    return [...new Set([name, ...aliases, simpleName(name), prunedName(name, type)])].filter((candidate) => {
      try {
        return this.registry.find(candidate, types)?.class === name;
      } catch {
        return false;
      }
    });
  }

  private withConverterNames(key: FrameworkKey): FrameworkKey {
    const part = CONVERTER_PARTS.find((one) => key.name === `${one}.converter`);
    if (part === undefined) return key;
    const type = converterType(part);
    const values = this.ofType(type).flatMap((plugin) => this.namesOf(plugin, [type]));
    return { ...key, accepts: { values: [...new Set(values)] } };
  }

  /** Others are not imported for it: their code may never return. */
  private async builtInConverters(): Promise<readonly ConverterSubject[]> {
    const found: ConverterSubject[] = [];
    for (const part of CONVERTER_PARTS) {
      const type = converterType(part);
      for (const plugin of this.ofType(type).filter(({ location }) => location === 'built-in')) {
        const keys = await this.keysOf(plugin);
        const own = keys.filter(({ name }) => name !== 'converter.type');
        if (own.length > 0) found.push({ key: `${part}.converter`, names: this.namesOf(plugin, [type]), own });
      }
    }
    return found;
  }
}

function missingIn(own: readonly ConfigKey[], keys: readonly FrameworkKey[]): readonly FrameworkKey[] {
  return keys.filter((key) => !own.some(({ name }) => name === key.name));
}

/**
 * Plugins that `GET /connector-plugins` does not list and that have no config definitions: config providers and client
 * config override policies.
 */
const SUFFIXED: readonly (readonly [folder: string, suffix: string, names: readonly string[]])[] = [
  ['org.apache.kafka.common.config.provider.', 'ConfigProvider', ['Directory', 'EnvVar', 'File']],
  [
    'org.apache.kafka.connect.connector.policy.',
    'ConnectorClientConfigOverridePolicy',
    ['All', 'Allowlist', 'None', 'Principal'],
  ],
];

const UNLISTED = new Set(
  SUFFIXED.flatMap(([folder, suffix, names]) => names.flatMap((name) => [name, name + suffix, folder + name + suffix])),
);

/** By class, simple name, or simple name without its kind. */
function isUnlistedPlugin(name: string): boolean {
  return UNLISTED.has(name);
}
