/** Settings of the Avro converter that concern the data. Source: Confluent's AvroDataConfig 7.7.0. */
import type { ConfigKey, ConnectorConfig, Importance } from '@millrace/sdk';
import type { AvroSettings } from './avro-settings';

const GROUP = 'Avro';

function flag(name: string, byDefault: boolean, importance: Importance, documentation: string): ConfigKey {
  return { name, type: 'BOOLEAN', default: byDefault, importance, documentation, group: GROUP };
}

export const AVRO_CONFIG: readonly ConfigKey[] = [
  flag(
    'enhanced.avro.schema.support',
    false,
    'MEDIUM',
    'Whether enums stay enums, and the members of unions have the full names of their types.',
  ),
  flag(
    'generalized.sum.type.support',
    false,
    'MEDIUM',
    'Whether enums and unions have the form that the converters for Protobuf and JSON Schema share.',
  ),
  flag(
    'ignore.default.for.nullables',
    false,
    'MEDIUM',
    'Whether a field that is null is written as null although its schema has a default.',
  ),
  flag(
    'scrub.invalid.names',
    false,
    'MEDIUM',
    'Whether characters that Avro does not allow in names are replaced. Otherwise such names are an error.',
  ),
  flag(
    'connect.meta.data',
    true,
    'LOW',
    "Whether Avro schemas carry what only Connect's have, such as names, versions and parameters of all types.",
  ),
  flag(
    'discard.type.doc.default',
    false,
    'LOW',
    "Whether only the documentation and default of Avro's fields are kept, and not those of their types.",
  ),
  flag(
    'allow.optional.map.keys',
    false,
    'LOW',
    'Whether maps whose keys are optional strings become maps of Avro, and not arrays of entries.',
  ),
  flag('flatten.singleton.unions', true, 'LOW', 'Whether a union of one type is read as that type.'),
  {
    name: 'schemas.cache.config',
    type: 'INT',
    default: 1000,
    importance: 'LOW',
    documentation: 'No effect: the converter remembers the schemas that are in use.',
    group: GROUP,
    withoutEffect: true,
    visible: false,
  },
];

export function avroSettings(config: ConnectorConfig): AvroSettings {
  const isSet = (key: string): boolean => {
    const text = config[key]?.trim().toLowerCase();
    if (text === undefined || text === '') return AVRO_CONFIG.find(({ name }) => name === key)?.default === true;
    return text === 'true';
  };
  return {
    enhanced: isSet('enhanced.avro.schema.support'),
    generalized: isSet('generalized.sum.type.support'),
    metaData: isSet('connect.meta.data'),
    scrub: isSet('scrub.invalid.names'),
    discardTypeDoc: isSet('discard.type.doc.default'),
    optionalMapKeys: isSet('allow.optional.map.keys'),
    flattenSingletons: isSet('flatten.singleton.unions'),
    ignoreDefaults: isSet('ignore.default.for.nullables'),
  };
}
