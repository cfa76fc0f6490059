/** The transformations that are compiled into the worker. Source: connect-runtime §7.2. */
import type { ConfigKey, Transformation, TransformationPlugin } from '@millrace/sdk';
import { CAST_CONFIG, Cast } from './cast';
import { DROP_HEADERS_CONFIG, DropHeaders } from './drop-headers';
import { EXTRACT_FIELD_CONFIG, ExtractField } from './extract-field';
import { Filter } from './filter';
import { FLATTEN_CONFIG, Flatten } from './flatten';
import { HEADER_FROM_CONFIG, HeaderFrom } from './header-from';
import { HOIST_FIELD_CONFIG, HoistField } from './hoist-field';
import { INSERT_FIELD_CONFIG, InsertField } from './insert-field';
import { INSERT_HEADER_CONFIG, InsertHeader } from './insert-header';
import { MASK_FIELD_CONFIG, MaskField } from './mask-field';
import { REGEX_ROUTER_CONFIG, RegexRouter } from './regex-router';
import { REPLACE_FIELD_CONFIG, ReplaceField } from './replace-field';
import { SET_SCHEMA_METADATA_CONFIG, SetSchemaMetadata } from './set-schema-metadata';
import { KEY, VALUE, type Side } from './side';
import { TIMESTAMP_CONVERTER_CONFIG, TimestampConverter } from './timestamp-converter';
import { TIMESTAMP_ROUTER_CONFIG, TimestampRouter } from './timestamp-router';
import { VALUE_TO_KEY_CONFIG, ValueToKey } from './value-to-key';

const PACKAGE = 'org.apache.kafka.connect.transforms';

function plugin(name: string, config: readonly ConfigKey[], create: () => Transformation) {
  const definition: TransformationPlugin = { type: 'transformation', config, create };
  return { className: `${PACKAGE}.${name}`, plugin: definition };
}

/** Java has an inner class for keys and one for values. */
function keyAndValuePlugins(name: string, config: readonly ConfigKey[], create: (side: Side) => Transformation) {
  return [plugin(`${name}$Key`, config, () => create(KEY)), plugin(`${name}$Value`, config, () => create(VALUE))];
}

/** By Java class name. */
export const builtInTransformations = [
  ...keyAndValuePlugins('Cast', CAST_CONFIG, (side) => new Cast(side)),
  plugin('DropHeaders', DROP_HEADERS_CONFIG, () => new DropHeaders()),
  ...keyAndValuePlugins('ExtractField', EXTRACT_FIELD_CONFIG, (side) => new ExtractField(side)),
  plugin('Filter', [], () => new Filter()),
  ...keyAndValuePlugins('Flatten', FLATTEN_CONFIG, (side) => new Flatten(side)),
  ...keyAndValuePlugins('HeaderFrom', HEADER_FROM_CONFIG, (side) => new HeaderFrom(side)),
  ...keyAndValuePlugins('HoistField', HOIST_FIELD_CONFIG, (side) => new HoistField(side)),
  ...keyAndValuePlugins('InsertField', INSERT_FIELD_CONFIG, (side) => new InsertField(side)),
  plugin('InsertHeader', INSERT_HEADER_CONFIG, () => new InsertHeader()),
  ...keyAndValuePlugins('MaskField', MASK_FIELD_CONFIG, (side) => new MaskField(side)),
  plugin('RegexRouter', REGEX_ROUTER_CONFIG, () => new RegexRouter()),
  ...keyAndValuePlugins('ReplaceField', REPLACE_FIELD_CONFIG, (side) => new ReplaceField(side)),
  ...keyAndValuePlugins('SetSchemaMetadata', SET_SCHEMA_METADATA_CONFIG, (side) => new SetSchemaMetadata(side)),
  ...keyAndValuePlugins('TimestampConverter', TIMESTAMP_CONVERTER_CONFIG, (side) => new TimestampConverter(side)),
  plugin('TimestampRouter', TIMESTAMP_ROUTER_CONFIG, () => new TimestampRouter()),
  plugin('ValueToKey', VALUE_TO_KEY_CONFIG, () => new ValueToKey()),
];
