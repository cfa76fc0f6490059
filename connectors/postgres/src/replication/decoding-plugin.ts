/** The output plugins that the server may decode its WAL with (cdc-postgres §5.4). */
import type { PluginName, PostgresConfig } from '../config/postgres-config';
import { pgoutputOptions } from './pgoutput-options';

export type StreamOption = readonly [name: string, value: string];

interface DecodingPlugin {
  /** As in `pg_replication_slots` and CREATE_REPLICATION_SLOT. */
  readonly slotPlugin: string;
  /** It reads a publication; other plugins send the changes of all tables. */
  readonly usesPublication: boolean;
  /** It sends text in the encoding of the database, whatever the client's is. */
  readonly sendsServerEncoding: boolean;
  /** Of START_REPLICATION. Those of pgoutput contain `slot.stream.params`, on which they depend. */
  options(config: PostgresConfig, serverVersion: number): readonly StreamOption[];
  /** Options that older releases of the plugin reject. */
  readonly optional: readonly StreamOption[];
}

const PGOUTPUT: DecodingPlugin = {
  slotPlugin: 'pgoutput',
  usesPublication: true,
  sendsServerEncoding: false,
  options: pgoutputOptions,
  optional: [],
};

const DECODERBUFS: DecodingPlugin = {
  slotPlugin: 'decoderbufs',
  usesPublication: false,
  sendsServerEncoding: true,
  options: () => [],
  optional: [],
};

function wal2json(inChunks: boolean, optional: readonly StreamOption[]): DecodingPlugin {
  const options: readonly StreamOption[] = [
    ['pretty-print', '1'],
    ['write-in-chunks', inChunks ? '1' : '0'],
    ['include-xids', '1'],
    ['include-timestamp', '1'],
  ];
  return {
    slotPlugin: 'wal2json',
    usesPublication: false,
    sendsServerEncoding: true,
    options: () => options,
    optional,
  };
}

/** With the position at which a transaction ends: a message has that of its begin. */
const END: StreamOption = ['include-lsn', '1'];
const NOT_NULL: StreamOption = ['include-not-null', 'true'];

const PLUGINS: Readonly<Record<PluginName, DecodingPlugin>> = {
  pgoutput: PGOUTPUT,
  decoderbufs: DECODERBUFS,
  wal2json: wal2json(false, [END, NOT_NULL]),
  wal2json_rds: wal2json(false, [END]),
  wal2json_streaming: wal2json(true, [END, NOT_NULL]),
  wal2json_rds_streaming: wal2json(true, [END]),
};

/** The plugin that `plugin.name` means. */
export function decodingPlugin({ plugin }: Pick<PostgresConfig, 'plugin'>): DecodingPlugin {
  return PLUGINS[plugin];
}

/** All options of START_REPLICATION. `slot.stream.params` replaces an option of the same name. */
export function streamOptions(config: PostgresConfig, serverVersion: number): readonly StreamOption[] {
  const plugin = decodingPlugin(config);
  if (plugin === PGOUTPUT) return plugin.options(config, serverVersion);
  const own = [...plugin.options(config, serverVersion), ...plugin.optional];
  const given = config.slot.streamParams;
  return [...own.filter(([name]) => !given.some(([replacing]) => replacing === name)), ...given];
}
