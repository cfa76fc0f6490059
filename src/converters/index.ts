/** The converters that are compiled into the worker. Source: connect-runtime Appendix D. */
import type {
  ConfigKey,
  ConnectorConfig,
  ConnectValue,
  Converter,
  ConverterPlugin,
  HeaderConverter,
  HeaderConverterPlugin,
  Schema,
  SchemaAndValue,
} from '@millrace/sdk';
import { ByteArrayConverter } from './byte-array-converter';
import { CONVERTER_TYPE } from './converter-type';
import { JSON_CONFIG } from './json/config';
import { JsonConverter } from './json/json-converter';
import { PRIMITIVE_CONVERTERS, PrimitiveConverter } from './primitive-converters';
import { SimpleHeaderConverter } from './simple-header-converter';
import { STRING_CONFIG, StringConverter } from './string-converter';

const PACKAGE = 'org.apache.kafka.connect';

/** Uses a converter as a header converter, as Java does with its converters for single values. */
class HeaderAdapter implements HeaderConverter {
  constructor(private readonly converter: Converter) {}

  configure(config: ConnectorConfig): void {
    this.converter.configure(config, false);
  }
  fromConnectHeader(topic: string, _key: string, schema: Schema | null, value: ConnectValue): Uint8Array | null {
    return this.converter.fromConnectData(topic, schema, value);
  }
  toConnectHeader(topic: string, _key: string, bytes: Uint8Array | null): SchemaAndValue {
    return this.converter.toConnectData(topic, bytes);
  }
}

/** Each converter is listed twice, as in Java: for values and for headers. */
function valueAndHeaderPlugins(name: string, config: readonly ConfigKey[], create: () => Converter) {
  const className = `${PACKAGE}.${name}`;
  const converter: ConverterPlugin = { type: 'converter', config, create };
  const header: HeaderConverterPlugin = {
    type: 'header_converter',
    config,
    create: () => new HeaderAdapter(create()),
  };
  return [
    { className, plugin: converter },
    { className, plugin: header },
  ];
}

const simpleHeader: HeaderConverterPlugin = {
  type: 'header_converter',
  config: [],
  create: () => new SimpleHeaderConverter(),
};

/** By Java class name. */
export const builtInConverters = [
  ...valueAndHeaderPlugins('json.JsonConverter', JSON_CONFIG, () => new JsonConverter()),
  ...valueAndHeaderPlugins('storage.StringConverter', STRING_CONFIG, () => new StringConverter()),
  ...valueAndHeaderPlugins('converters.ByteArrayConverter', [CONVERTER_TYPE], () => new ByteArrayConverter()),
  ...PRIMITIVE_CONVERTERS.flatMap((name) =>
    valueAndHeaderPlugins(`converters.${name}`, [CONVERTER_TYPE], () => new PrimitiveConverter(name)),
  ),
  { className: `${PACKAGE}.storage.SimpleHeaderConverter`, plugin: simpleHeader },
];
