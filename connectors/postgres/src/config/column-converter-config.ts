/** `converters`: plugins that choose how columns are published (cdc-postgres §1.6). */
import type { ConnectorConfig } from '@millrace/sdk';
import { complainOfAlias } from './problem';
import { KEY } from './definitions';
import { splitList } from './patterns';

export interface ColumnConverterConfig {
  readonly alias: string;
  /** Name of the plugin. */
  readonly type: string;
  /** Settings of the plugin, without the alias. */
  readonly settings: ConnectorConfig;
}

export function columnConverters(values: ConnectorConfig): ColumnConverterConfig[] {
  return splitList(values[KEY.converters] ?? '').map((alias) => {
    const prefix = `${alias}.`;
    const settings = Object.fromEntries(
      Object.entries(values)
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, value]) => [name.slice(prefix.length), value]),
    );
    return { alias, type: settings.type?.trim() ?? '', settings };
  });
}

export function checkColumnConverters(
  values: ConnectorConfig,
  complain: (name: string, message: string) => void,
): void {
  const seen = new Set<string>();
  for (const { alias, type } of columnConverters(values)) {
    if (seen.has(alias)) complain(KEY.converters, `"${alias}" is listed twice`);
    seen.add(alias);
    if (type === '')
      complainOfAlias(values, { list: KEY.converters, key: `${alias}.type` }, 'A value is required', complain);
  }
}
