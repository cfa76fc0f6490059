/**
 * Checks the worker's default converters before it starts, as Java does: otherwise each connector that inherits one is
 * accepted, and its tasks fail.
 */
import { ConfigError, isConfigError, messageOf, withDeadline } from '@millrace/sdk';
import type { WorkerConfig } from '../config/worker-config';
import type { Logger } from '../logging/logger';
import { missingClass } from '../plugins/missing-class';
import type { PluginRegistry } from '../plugins/registry';
import { taskConverters } from './task-converters';

const PARTS = ['key', 'value', 'header'] as const;
const REGISTRY_CONVERTER = /(?:Avro|Protobuf|JsonSchema)Converter$/;

/** A plugin that takes longer shows in its tasks. */
const LONGEST_MS = 10_000;

export interface DefaultConverterOptions {
  readonly config: WorkerConfig;
  readonly registry: PluginRegistry;
  /** Creates the default converters where code of plugin folders may run: not in the worker's own thread. */
  readonly createInThread: () => Promise<unknown>;
  readonly logger: Logger;
}

/**
 * Rejects with ConfigError: `CONVERTER_UNKNOWN`, `CONVERTER_CONFIG`, or that of the converter. Anything else that is
 * wrong with a plugin is logged.
 */
export async function checkDefaultConverters(options: DefaultConverterOptions): Promise<void> {
  const { config, registry, createInThread, logger } = options;
  const classes = { key: config.keyConverter, value: config.valueConverter, header: config.headerConverter };
  let builtIn = true;
  for (const part of PARTS) {
    const type = part === 'header' ? 'header_converter' : 'converter';
    const found = registry.find(classes[part], type, config.withPrefix(`${part}.converter.`)['plugin.version']);
    if (found === null) throw unknownConverter(part, classes[part], classesOf(registry, type));
    builtIn &&= found.location === 'built-in';
  }
  if (builtIn) return void (await taskConverters({}, config, registry));
  try {
    await withDeadline(createInThread(), LONGEST_MS, () => new Error(`no answer within ${LONGEST_MS / 1_000} s`));
  } catch (error) {
    if (isConfigError(error)) throw error;
    logger.warn(`The default converters could not be checked: ${messageOf(error)}`, { error });
  }
}

function classesOf(registry: PluginRegistry, type: 'converter' | 'header_converter'): string {
  const classes = registry.list().filter((plugin) => plugin.type === type);
  return [...new Set(classes.map((plugin) => plugin.class))].join(', ');
}

function unknownConverter(part: string, name: string, classes: string): ConfigError {
  const hint = REGISTRY_CONVERTER.test(name)
    ? 'Of the converters with a schema registry, use one for the wire format of Confluent'
    : 'Install its plugin in plugin.path, or correct the class';
  return new ConfigError(
    `Invalid value ${name} for configuration ${part}.converter: ${missingClass(name)} ${hint}; this worker has ${classes}.`,
    { code: 'CONVERTER_UNKNOWN' },
  );
}
