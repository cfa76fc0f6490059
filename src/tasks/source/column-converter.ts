import { ConfigError, type ColumnConverterPlugin } from '@millrace/sdk';
import type { PluginRegistry } from '../../plugins/registry';

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
