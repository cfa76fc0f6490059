/** Classes of plugins that a config names: whether they are installed, and what takes the place of others. */
import { isConfigError, messageOf, type PluginType } from '@millrace/sdk';
import { missingClass, nearestClasses } from '../../plugins/missing-class';
import type { PluginDescription, PluginRegistry } from '../../plugins/registry';
import { parseList } from '../config-parse';
import type { Difference } from './difference';

type Settings = Readonly<Record<string, string>>;
type Installed = Pick<PluginRegistry, 'find' | 'list'>;

const CONNECTORS: readonly PluginType[] = ['source', 'sink'];
const MAX_ALIASES = 200;

/** What to use in place of well-known classes that nothing has under a similar name. */
const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [
    /(?:Avro|Protobuf|JsonSchema)\w*Converter$/,
    'Of the converters with a schema registry, those for Confluent’s wire format are supported: use io.confluent.connect.avro.AvroConverter, JsonSchemaConverter or ProtobufConverter with such a registry.',
  ],
  [/\.TombstoneHandler$/, 'Use org.apache.kafka.connect.transforms.Filter with the predicate RecordIsTombstone.'],
  [/\.TopicRegexRouter$/, 'Use org.apache.kafka.connect.transforms.RegexRouter.'],
  [
    /^io\.confluent\.connect\.transforms\.Filter/,
    'Use the Filter of Debezium’s transformations, with a condition in CEL.',
  ],
  [/^io\.confluent\.connect\.transforms\.Drop/, 'Use org.apache.kafka.connect.transforms.DropHeaders or ReplaceField.'],
];

/** The keys of a config that name classes, each with the types of plugin that it may be. */
function classKeys(config: Settings): (readonly [key: string, types: readonly PluginType[], versionKey: string])[] {
  const aliases = (list: string): readonly string[] =>
    [...new Set(parseList(config[list] ?? ''))].slice(0, MAX_ALIASES).filter((alias) => alias !== '');
  return [
    ['connector.class', CONNECTORS, 'connector.plugin.version'],
    ['key.converter', ['converter'], 'key.converter.plugin.version'],
    ['value.converter', ['converter'], 'value.converter.plugin.version'],
    ['header.converter', ['header_converter'], 'header.converter.plugin.version'],
    ...aliases('transforms').map(
      (alias) => [`transforms.${alias}.type`, ['transformation'], `transforms.${alias}.plugin.version`] as const,
    ),
    ...aliases('predicates').map(
      (alias) => [`predicates.${alias}.type`, ['predicate'], `predicates.${alias}.plugin.version`] as const,
    ),
  ];
}

/** Of a connector, or the default converters of a worker. Values with placeholders are not looked up. */
export function classDifferences(config: Settings, installed: Installed): readonly Difference[] {
  return classKeys(config).flatMap(([key, types, versionKey]) => {
    const name = config[key]?.trim() ?? '';
    if (name === '' || name.includes('${')) return [];
    return classDifference({ key, name, types, version: config[versionKey] }, installed) ?? [];
  });
}

interface NamedClass {
  readonly key: string;
  readonly name: string;
  readonly types: readonly PluginType[];
  readonly version: string | undefined;
}

function classDifference({ key, name, types, version }: NamedClass, installed: Installed): Difference | null {
  let found: PluginDescription | null;
  try {
    found = installed.find(name, types, version);
  } catch (error) {
    if (isConfigError(error))
      return {
        key,
        kind: 'rejected',
        message: `${messageOf(error)}.`,
        instead: 'Install this version, or name another.',
      };
    return { key, kind: 'rejected', message: `Several plugins are called ${name}.`, instead: 'Write the class.' };
  }
  if (found !== null) return replaced(key, name, found);
  const known = INSTEAD.find(([pattern]) => pattern.test(name))?.[1];
  const classes = installed.list().flatMap(({ type, class: one }) => (types.includes(type) ? [one] : []));
  const nearest = nearestClasses(name, classes);
  const isConnector = types === CONNECTORS;
  const none = isConnector
    ? 'Name the folder of its jars in plugin.path and install @millrace/java-host, or install a plugin for Millrace.'
    : 'Name the folder of its jar in plugin.path and install @millrace/java-host, or install one for Millrace.';
  return {
    key,
    kind: 'rejected',
    message: missingClass(name).replace('could not be found', 'is not installed'),
    instead: known ?? (nearest.length === 0 ? none : `Use ${nearest.join(' or ')}.`),
  };
}

function replaced(
  key: string,
  name: string,
  { class: className, version, type, java }: PluginDescription,
): Difference | null {
  if (java === true) return null;
  const isAlias = name !== className && name.includes('.');
  if (isAlias) return { key, kind: 'replaced', message: `${className} takes the place of ${name}.`, instead: null };
  if (!CONNECTORS.includes(type) || className.startsWith('org.apache.kafka.')) return null;
  const message = `Millrace’s own plugin takes the place of ${className}, with the keys of version ${version}.`;
  return { key, kind: 'replaced', message, instead: null };
}
