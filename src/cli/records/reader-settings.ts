/** The converters of a command that shows records, as keys of a connector config. Pure. */
import { ConnectError } from '@millrace/sdk';

export interface ReaderOptions {
  readonly keyConverter?: string;
  readonly valueConverter?: string;
  /** URL, or a list of them. */
  readonly schemaRegistry?: string;
}

type Settings = Readonly<Record<string, string>>;

const PARTS = ['key', 'value'] as const;
const SHORT_NAMES: Readonly<Record<string, string>> = {
  json: 'JsonConverter',
  string: 'StringConverter',
  bytes: 'ByteArrayConverter',
  avro: 'AvroConverter',
  'json-schema': 'JsonSchemaConverter',
  protobuf: 'ProtobufConverter',
};
const OF_REGISTRIES = new Set(['avro', 'json-schema', 'protobuf']);
const REGISTRY_URL = 'schema.registry.url';
/** How the registry is reached: whoever names a converter need not repeat it. */
const OF_REGISTRY = /^(?:schema\.registry\.|basic\.auth\.|bearer\.auth\.|proxy\.)/;

/**
 * Keys of converters that options name; those of `connector` otherwise; none for parts that have neither, which the
 * worker's converters read.
 * @param worker settings of the worker with a prefix, without that prefix
 * @throws ConnectError `CLI_USAGE` for a converter whose registry is unknown
 */
export function readerSettings(
  options: ReaderOptions,
  connector: Settings,
  worker: (prefix: string) => Settings,
): Settings {
  return Object.assign({}, ...PARTS.map((part) => partSettings(part, options, connector, worker))) as Settings;
}

function partSettings(
  part: (typeof PARTS)[number],
  options: ReaderOptions,
  connector: Settings,
  worker: (prefix: string) => Settings,
): Settings {
  const key = `${part}.converter`;
  const given = options[`${part}Converter`];
  if (given === undefined) {
    const own = Object.entries(connector).filter(([name]) => name === key || name.startsWith(`${key}.`));
    return withUrl(Object.fromEntries(own), key, options.schemaRegistry);
  }
  const named = { [key]: SHORT_NAMES[given] ?? given, ...(given === 'json' && { [`${key}.schemas.enable`]: 'false' }) };
  if (!OF_REGISTRIES.has(given)) return withUrl(named, key, options.schemaRegistry);
  if (options.schemaRegistry !== undefined) return withUrl(named, key, options.schemaRegistry);
  const registries = [
    ...PARTS.map((one) => inner(connector, `${one}.converter.`)),
    ...PARTS.map((one) => worker(`${one}.converter.`)),
  ];
  const known = registries.find((settings) => settings[REGISTRY_URL] !== undefined);
  if (known === undefined)
    throw new ConnectError(`The converter ${given} needs the URL of a schema registry: add --schema-registry.`, {
      code: 'CLI_USAGE',
    });
  const inherited = Object.entries(known).filter(([name]) => OF_REGISTRY.test(name));
  return { ...Object.fromEntries(inherited.map(([name, value]) => [`${key}.${name}`, value])), ...named };
}

/**
 * A converter that uses no registry ignores the URL. Credentials are only for the registry that they belong to: another
 * one does not get them.
 */
function withUrl(settings: Settings, key: string, url: string | undefined): Settings {
  if (url === undefined || settings[key] === undefined) return settings;
  const others = Object.entries(settings).filter(([name]) => !OF_REGISTRY.test(name.slice(key.length + 1)));
  return { ...Object.fromEntries(others), [`${key}.${REGISTRY_URL}`]: url };
}

function inner(settings: Settings, prefix: string): Settings {
  const own = Object.entries(settings).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]));
}
