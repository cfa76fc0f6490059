/**
 * The three converters of a task: those of the connector config, otherwise the worker's. Source: connect-runtime
 * §6.3, Appendix A.2.
 */
import {
  ConfigError,
  type ColumnConverterPlugin,
  type ConfigKey,
  type ConfiguredPlugin,
  type ConnectorConfig,
  type Converter,
  type HeaderConverter,
  isConfigError,
  messageOf,
  type TaskOwner,
} from '@millrace/sdk';
import { withoutPrefix } from '../config/client-config';
import { checkKey } from '../config/validation/entry';
import type { WorkerConfig } from '../config/worker-config';
import { missingClass } from '../plugins/missing-class';
import type { LoadedPlugin, PluginRegistry } from '../plugins/registry';

type Part = 'key' | 'value' | 'header';
/** Throws ConfigError. */
type Check = (keys: readonly ConfigKey[], settings: ConnectorConfig) => void;
type Worker = Pick<WorkerConfig, 'keyConverter' | 'valueConverter' | 'headerConverter' | 'withPrefix'>;

export interface NamedConverter<T> {
  readonly converter: T;
  /** Java class name. */
  readonly className: string;
}

export interface TaskConverters {
  readonly key: NamedConverter<Converter>;
  readonly value: NamedConverter<Converter>;
  readonly header: NamedConverter<HeaderConverter>;
}

export interface EffectiveConverter extends ConfiguredPlugin {
  /** Whose setting it is. A converter of the connector config uses none of the worker's settings. */
  readonly owner: 'connector' | 'worker';
}

/** The converter of the connector config, otherwise the worker's, whether or not this worker has it. */
export function effectiveConverter(part: Part, connector: ConnectorConfig, worker: Worker): EffectiveConverter {
  const key = `${part}.converter`;
  const own = connector[key]?.trim();
  const workers = { key: worker.keyConverter, value: worker.valueConverter, header: worker.headerConverter };
  const settings = own ? withoutPrefix(connector, `${key}.`) : worker.withPrefix(`${key}.`);
  return {
    name: own || workers[part],
    settings: { ...settings, 'converter.type': part },
    owner: own ? 'connector' : 'worker',
  };
}

/** @param owner (Default: none) */
export async function taskConverters(
  connector: ConnectorConfig,
  worker: Worker,
  registry: PluginRegistry,
  owner?: TaskOwner,
): Promise<TaskConverters> {
  const load = async <T>(
    part: Part,
    create: (plugin: LoadedPlugin, settings: ConnectorConfig, check: Check) => T,
  ): Promise<NamedConverter<T>> => {
    const key = `${part}.converter`;
    const { name, settings, owner: from } = effectiveConverter(part, connector, worker);
    const type = part === 'header' ? 'header_converter' : 'converter';
    const description = registry.find(name, type, settings['plugin.version']);
    if (!description) {
      throw new ConfigError(`Invalid value ${name} for configuration ${key}: ${missingClass(name)}`, {
        code: 'CONVERTER_UNKNOWN',
      });
    }
    const check = (keys: readonly ConfigKey[], given: ConnectorConfig): void =>
      checkSettings(keys, given, `${key}.`, from);
    const plugin = await registry.load(description);
    try {
      const converter = create(plugin, settings, check);
      return { converter, className: description.class };
    } catch (error) {
      throw withKey(error, key, from);
    }
  };
  const created: NamedConverter<Converter | HeaderConverter>[] = [];
  const kept = <T extends Converter | HeaderConverter>(named: NamedConverter<T>): NamedConverter<T> => {
    created.push(named);
    return named;
  };
  try {
    return {
      key: kept(await load('key', (plugin, settings, check) => configured(plugin, settings, check, true, owner))),
      value: kept(await load('value', (plugin, settings, check) => configured(plugin, settings, check, false, owner))),
      header: kept(await load('header', (plugin, settings, check) => configuredHeader(plugin, settings, check, owner))),
    };
  } catch (error) {
    closeAll(created);
    throw error;
  }
}

/** The converters are there while `use` runs. */
export async function withTaskConverters<T>(
  connector: ConnectorConfig,
  worker: Worker,
  registry: PluginRegistry,
  use: (converters: TaskConverters) => Promise<T>,
): Promise<T> {
  const converters = await taskConverters(connector, worker, registry);
  try {
    return await use(converters);
  } finally {
    closeConverters(converters);
  }
}

/** Closes all, even if some throw. Returns the errors. */
export function closeConverters({ key, value, header }: TaskConverters): unknown[] {
  return closeAll([key, value, header]);
}

function closeAll(converters: readonly NamedConverter<Converter | HeaderConverter>[]): unknown[] {
  const errors: unknown[] = [];
  for (const { converter } of converters) {
    try {
      converter.close?.();
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

/** See `SourceTaskContext.columnConverter`. */
export async function columnConverter(name: string, registry: PluginRegistry): Promise<ColumnConverterPlugin> {
  const description = registry.find(name, 'column_converter');
  if (description === null)
    throw new ConfigError(
      `No column converter "${name}" is installed in this worker: correct the name, or install the plugin.`,
      { code: 'COLUMN_CONVERTER_UNKNOWN' },
    );
  return (await registry.load(description)) as ColumnConverterPlugin;
}

const PLACE = { worker: "in the worker's settings", connector: "in the connector's configuration" } as const;

/**
 * The worker's settings have not been validated: an invalid one must not fall back to its default. Missing settings are
 * left to the converter.
 */
function checkSettings(
  keys: readonly ConfigKey[],
  settings: ConnectorConfig,
  prefix: string,
  owner: 'connector' | 'worker',
): void {
  for (const key of keys) {
    if (!Object.hasOwn(settings, key.name)) continue;
    const { errors } = checkKey(key, settings);
    if (errors.length === 0) continue;
    throw new ConfigError(`${prefix}${key.name} ${PLACE[owner]} cannot be used: ${errors.join(' ')}`, {
      code: 'CONVERTER_CONFIG',
    });
  }
}

/** A converter does not know for which part it is. */
function withKey(error: unknown, key: string, owner: 'connector' | 'worker'): unknown {
  if (!isConfigError(error)) return error;
  const { code } = error as ConfigError;
  if (code.startsWith('CONVERTER_')) return error;
  return new ConfigError(`${key} ${PLACE[owner]} cannot be used: ${messageOf(error)}`, { code, cause: error });
}

function configured(
  plugin: LoadedPlugin,
  settings: ConnectorConfig,
  check: Check,
  isKey: boolean,
  owner: TaskOwner | undefined,
): Converter {
  if (plugin.type !== 'converter') throw wrongKind();
  check(plugin.config, settings);
  const converter = plugin.create();
  converter.configure(settings, isKey, owner);
  return converter;
}

function configuredHeader(
  plugin: LoadedPlugin,
  settings: ConnectorConfig,
  check: Check,
  owner: TaskOwner | undefined,
): HeaderConverter {
  if (plugin.type !== 'header_converter') throw wrongKind();
  check(plugin.config, settings);
  const converter = plugin.create();
  converter.configure(settings, owner);
  return converter;
}

function wrongKind(): ConfigError {
  return new ConfigError('The plugin does not export the converter that its manifest declares.', {
    code: 'CONVERTER_KIND',
  });
}
