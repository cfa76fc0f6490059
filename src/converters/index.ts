/** The converters that are compiled into the worker. Source: connect-runtime Appendix D. */
import type { ConfigKey, Converter, ConverterPlugin, HeaderConverterPlugin } from '@millrace/sdk';
import { ByteArrayConverter } from './byte-array-converter';
import { HeaderAdapter } from './header-adapter';
import { CONVERTER_TYPE, JSON_CONFIG } from './json-config';
import { JsonConverter } from './json-converter';
import { PRIMITIVE_CONVERTERS, PrimitiveConverter } from './primitive-converters';
import { SimpleHeaderConverter } from './simple-header-converter';
import { STRING_CONFIG, StringConverter } from './string-converter';

/** They behave as that release's. */
const VERSION = '4.3.1';
const PACKAGE = 'org.apache.kafka.connect';

/** What the plug-in registry takes (`BuiltInPlugin`), said again because converters know the SDK alone. */
export interface BuiltInConverter {
  readonly description: {
    readonly type: 'converter' | 'header_converter';
    readonly class: string;
    readonly version: string;
    readonly aliases: readonly string[];
    readonly taskClass: null;
    readonly location: string;
  };
  readonly plugin: ConverterPlugin | HeaderConverterPlugin;
}

function describe(type: BuiltInConverter['description']['type'], name: string): BuiltInConverter['description'] {
  return { type, class: name, version: VERSION, aliases: [], taskClass: null, location: 'built-in' };
}

/** Listed twice, as in Java: for values, and for headers. */
function both(name: string, config: readonly ConfigKey[], create: () => Converter): BuiltInConverter[] {
  return [
    { description: describe('converter', name), plugin: { type: 'converter', config, create } },
    {
      description: describe('header_converter', name),
      plugin: { type: 'header_converter', config, create: () => new HeaderAdapter(create()) },
    },
  ];
}

const simpleHeader: HeaderConverterPlugin = {
  type: 'header_converter',
  config: [],
  create: () => new SimpleHeaderConverter(),
};

export const builtInConverters: readonly BuiltInConverter[] = [
  ...both(`${PACKAGE}.json.JsonConverter`, JSON_CONFIG, () => new JsonConverter()),
  ...both(`${PACKAGE}.storage.StringConverter`, STRING_CONFIG, () => new StringConverter()),
  ...both(`${PACKAGE}.converters.ByteArrayConverter`, [CONVERTER_TYPE], () => new ByteArrayConverter()),
  ...PRIMITIVE_CONVERTERS.flatMap((name) =>
    both(`${PACKAGE}.converters.${name}`, [CONVERTER_TYPE], () => new PrimitiveConverter(name)),
  ),
  { description: describe('header_converter', `${PACKAGE}.storage.SimpleHeaderConverter`), plugin: simpleHeader },
];
