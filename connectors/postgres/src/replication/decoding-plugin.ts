/** The output plugins that the server may decode its WAL with (cdc-postgres §5.4). */
import type { PluginName, PostgresConfig } from '../config/postgres-config';
import { quoteIdentifier } from '../database/identifiers';

export interface DecodingPlugin {
  /** As in `pg_replication_slots` and CREATE_REPLICATION_SLOT. */
  readonly slotPlugin: string;
  /** It reads a publication; other plugins send the changes of all tables. */
  readonly usesPublication: boolean;
  /** Of START_REPLICATION, without `slot.stream.params`. */
  options(config: PostgresConfig): readonly (readonly [name: string, value: string])[];
}

const PGOUTPUT: DecodingPlugin = {
  slotPlugin: 'pgoutput',
  usesPublication: true,
  options: ({ publication }) => [
    ['proto_version', '1'],
    ['publication_names', quoteIdentifier(publication.name)],
  ],
};

const PLUGINS: Readonly<Record<PluginName, DecodingPlugin>> = {
  pgoutput: PGOUTPUT,
};

/** The plugin that `plugin.name` means. */
export function decodingPlugin({ plugin }: Pick<PostgresConfig, 'plugin'>): DecodingPlugin {
  return PLUGINS[plugin];
}
