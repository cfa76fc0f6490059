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

function one(name: string, config: readonly ConfigKey[], create: () => Transformation) {
  const plugin: TransformationPlugin = { type: 'transformation', config, create };
  return { className: `${PACKAGE}.${name}`, plugin };
}

/** Java's inner classes: one for keys, one for values. */
function both(name: string, config: readonly ConfigKey[], create: (side: Side) => Transformation) {
  return [one(`${name}$Key`, config, () => create(KEY)), one(`${name}$Value`, config, () => create(VALUE))];
}

/** By Java class name. */
export const builtInTransformations = [
  ...both('Cast', CAST_CONFIG, (side) => new Cast(side)),
  one('DropHeaders', DROP_HEADERS_CONFIG, () => new DropHeaders()),
  ...both('ExtractField', EXTRACT_FIELD_CONFIG, (side) => new ExtractField(side)),
  one('Filter', [], () => new Filter()),
  ...both('Flatten', FLATTEN_CONFIG, (side) => new Flatten(side)),
  ...both('HeaderFrom', HEADER_FROM_CONFIG, (side) => new HeaderFrom(side)),
  ...both('HoistField', HOIST_FIELD_CONFIG, (side) => new HoistField(side)),
  ...both('InsertField', INSERT_FIELD_CONFIG, (side) => new InsertField(side)),
  one('InsertHeader', INSERT_HEADER_CONFIG, () => new InsertHeader()),
  ...both('MaskField', MASK_FIELD_CONFIG, (side) => new MaskField(side)),
  one('RegexRouter', REGEX_ROUTER_CONFIG, () => new RegexRouter()),
  ...both('ReplaceField', REPLACE_FIELD_CONFIG, (side) => new ReplaceField(side)),
  ...both('SetSchemaMetadata', SET_SCHEMA_METADATA_CONFIG, (side) => new SetSchemaMetadata(side)),
  ...both('TimestampConverter', TIMESTAMP_CONVERTER_CONFIG, (side) => new TimestampConverter(side)),
  one('TimestampRouter', TIMESTAMP_ROUTER_CONFIG, () => new TimestampRouter()),
  one('ValueToKey', VALUE_TO_KEY_CONFIG, () => new ValueToKey()),
];
