/** The connectors that ship with the worker, validated as the worker validates them, but without a database. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connector } from '@millrace/sdk';
import Ajv, { type ValidateFunction } from 'ajv';
import { checkConfig } from '../../../connectors/postgres/src/config/check';
import { builtInPlugins } from '../../../src/built-in-plugins';
import { createConfigValidator } from '../../../src/config/validation/connector-validator';
import { silentLogger } from '../../../src/logging/logger';
import { createPluginRegistry } from '../../../src/plugins/create-registry';
import type { BuiltInPlugin, LoadedPlugin, PluginDescription } from '../../../src/plugins/registry';
import { CREATE_REQUEST, checkShape, toPlain } from '../../../src/rest/json/shape';
import { parseJson } from '../../../src/rest/json/tree';
import { createRequest, withoutNullValues } from '../../../src/rest/requests/connector-request';
import { fakeWorkerConfig } from '../../helpers/fake-plugins';

export const ROOT = join(__dirname, '..', '..', '..');

interface Manifest {
  readonly millrace: {
    readonly plugins: readonly (PluginDescription & { readonly module: string; readonly export: string })[];
  };
}

function connectors(): BuiltInPlugin[] {
  return readdirSync(join(ROOT, 'connectors')).flatMap((folder) => {
    const at = join(ROOT, 'connectors', folder);
    const { millrace } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Manifest;
    return millrace.plugins.map(({ module = './dist/index.js', export: name, ...description }) => {
      const source = join(at, module.replace('dist', 'src').replace(/js$/, 'ts'));
      const exports = jest.requireActual<Record<string, LoadedPlugin>>(source);
      return {
        description: { ...description, aliases: description.aliases ?? [], location: at },
        plugin: withoutDatabase(exports[name] as LoadedPlugin),
      };
    });
  });
}

/** Validation of the PostgreSQL source ends with a connection, which says nothing about the config. */
function withoutDatabase(plugin: LoadedPlugin): LoadedPlugin {
  if (!('diagnose' in plugin)) return plugin;
  return { ...(plugin as Connector), validate: (config) => checkConfig(config).problems } as LoadedPlugin;
}

export const registry = createPluginRegistry({
  pluginPath: [],
  catalog: { entries: [], problems: [] },
  logger: silentLogger,
  builtIns: [...connectors(), ...builtInPlugins],
});
export const validator = createConfigValidator({ registry, config: fakeWorkerConfig() });

const compiled = new Map<string, Promise<ValidateFunction>>();

/** Checks documents by the schema of the plugin. */
export async function checkOf(plugin: string): Promise<ValidateFunction> {
  let check = compiled.get(plugin);
  if (!check) {
    const ajv = new Ajv({ strict: false, formats: { password: true } });
    compiled.set(plugin, (check = validator.schema(plugin).then((schema) => ajv.compile(schema))));
  }
  return await check;
}

/** The messages of the worker about a registration document: none if `POST /connectors` accepts it. */
export async function problemsOf(text: string): Promise<readonly string[]> {
  try {
    const parsed = parseJson(text);
    if (parsed === null) return ['The document is empty'];
    checkShape(CREATE_REQUEST, parsed.root, text);
    const { config } = createRequest(toPlain(parsed.root));
    const { configs } = await validator.validate(await withoutNullValues(config, validator));
    return configs.flatMap(({ value }) => value?.errors ?? []);
  } catch (error) {
    return [(error as Error).message];
  }
}

type Json = string | number | boolean | null;
export interface Registration {
  readonly name: string;
  readonly config: Readonly<Record<string, Json>>;
}

export const FILE_SOURCE = 'org.apache.kafka.connect.file.FileStreamSourceConnector';
export const FILE_SINK = 'org.apache.kafka.connect.file.FileStreamSinkConnector';
export const POSTGRES = 'io.debezium.connector.postgresql.PostgresConnector';
export const ANALYTICS = 'com.microsoft.azure.kusto.kafka.connect.sink.KustoSinkConnector';

/** A valid document of each connector. */
export const VALID: Readonly<Record<string, Registration>> = {
  [FILE_SOURCE]: { name: 'lines', config: { 'connector.class': FILE_SOURCE, topic: 'lines', file: '/tmp/lines' } },
  [FILE_SINK]: { name: 'copy', config: { 'connector.class': FILE_SINK, topics: 'lines', file: '/tmp/copy' } },
  [POSTGRES]: {
    name: 'todos',
    config: {
      'connector.class': POSTGRES,
      'database.hostname': 'localhost',
      'database.user': 'cdc',
      'database.password': 'secret',
      'database.dbname': 'postgres',
      'topic.prefix': 'fulfillment',
    },
  },
  [ANALYTICS]: {
    name: 'storms',
    config: {
      'connector.class': ANALYTICS,
      topics: 'storm-events',
      'analytics.ingestion.url': 'https://ingest-c.westeurope.kusto.windows.net',
      'analytics.tables.topics.mapping': "[{'topic':'storm-events','db':'demo','table':'Storms','format':'csv'}]",
      'idp.auth.authority': 'tenant',
      'idp.auth.appid': 'app',
      'idp.auth.appkey': 'key',
    },
  },
};
