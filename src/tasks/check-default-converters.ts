/**
 * Checks the worker's default converters before it starts, as Java does: otherwise each connector that inherits one is
 * accepted, and its tasks fail.
 */
import { ConfigError } from '@millrace/sdk';
import type { WorkerConfig } from '../config/worker-config';
import { missingClass } from '../plugins/missing-class';
import type { PluginRegistry } from '../plugins/registry';
import { taskConverters } from './task-converters';

const PARTS = ['key', 'value', 'header'] as const;
const REGISTRY_CONVERTER = /(?:Avro|Protobuf|JsonSchema)Converter$/;

/**
 * Rejects with ConfigError `CONVERTER_UNKNOWN` or `CONVERTER_CONFIG`. Those of plugin folders are only looked up: their
 * code runs in task threads.
 */
export async function checkDefaultConverters(config: WorkerConfig, registry: PluginRegistry): Promise<void> {
  const classes = { key: config.keyConverter, value: config.valueConverter, header: config.headerConverter };
  let builtIn = true;
  for (const part of PARTS) {
    const type = part === 'header' ? 'header_converter' : 'converter';
    const found = registry.find(classes[part], type);
    if (found === null) throw unknownConverter(part, classes[part], classesOf(registry, type));
    builtIn &&= found.location === 'built-in';
  }
  if (builtIn) await taskConverters({}, config, registry);
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
