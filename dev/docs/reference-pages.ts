/** The pages in docs/reference/ that are written from the definitions in the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigKey } from '@millrace/sdk';
import { DEFINITIONS as ANALYTICS_DEFINITIONS } from '../../connectors/analytics/src/config/definitions';
import { analyticsSink } from '../../connectors/analytics/src/connector';
import { AVRO_CONFIG } from '../../connectors/converters-schema-registry/src/avro/avro-config';
import { REGISTRY_CONFIG } from '../../connectors/converters-schema-registry/src/config';
import { APICURIO_CONFIG } from '../../connectors/converters-schema-registry/src/config/apicurio-settings';
import { JSON_SCHEMA_CONFIG } from '../../connectors/converters-schema-registry/src/json-schema/json-schema-config';
import { PROTOBUF_CONFIG } from '../../connectors/converters-schema-registry/src/protobuf/protobuf-config';
import { fileStreamSink } from '../../connectors/file/src/sink/connector';
import { fileStreamSource } from '../../connectors/file/src/source/connector';
import { postgresConnector } from '../../connectors/postgres/src/connector';
import { DEFINITIONS as POSTGRES_DEFINITIONS } from '../../connectors/postgres/src/config/definitions';
import type { Constraint } from '../../connectors/postgres/src/config/definition';
import * as debezium from '../../connectors/transforms-debezium/src';
import * as scripting from '../../connectors/transforms-debezium/src/scripting';
import { commonKeys, NO_CHOICES, SINK_KEYS, SOURCE_KEYS } from '../../src/config/connector-config';
import { EMBEDDED_SETTINGS } from '../../src/config/embedded-broker';
import { MILLRACE_KEYS } from '../../src/config/millrace-keys';
import { rowsOf, SETTING_GROUPS } from '../../src/config/setting';
import { WORKER_SETTINGS } from '../../src/config/worker-settings';
import { builtInConverters } from '../../src/converters';
import { builtInTransformations } from '../../src/transforms';
import { builtInPredicates } from '../../src/transforms/predicates';
import { ROOT } from '../services/paths';
import { keySection, referenceKey, workerKey, type ReferenceKey } from './reference-key';

const NOTE = '<!-- Written by `npm run docs:reference` from the tables in the code. -->';

/** By file name. */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ['postgres-source.md', postgresPage()],
    ['file-connectors.md', filePage()],
    ['analytics-sink.md', analyticsPage()],
    ['connector-keys.md', connectorKeysPage()],
    ['transformations.md', transformationsPage()],
    ['schema-registry-converters.md', registryConvertersPage()],
    ['worker-settings.md', workerPage()],
  ]);
}

/** @param sections each with its title and its text */
function page(title: string, introduction: string, sections: readonly (readonly [string, string])[]): string {
  const texts = sections.map(([heading, text]) => `## ${heading}\n\n${text.trimEnd()}\n`);
  return [`---\noutline: 2\n---\n\n# ${title}\n\n${NOTE}\n\n${introduction.trim()}\n`, ...texts].join('\n');
}

const keys = (all: readonly ReferenceKey[]): string => all.map((key) => keySection(key)).join('\n');

const ALIAS = /^Alias of ([\w.]+)\.$/;

/** Without the keys that are other names; these are listed with the key that they stand for. */
function withOtherNames(all: readonly ReferenceKey[]): ReferenceKey[] {
  const aliases = all.filter(({ documentation }) => ALIAS.test(documentation));
  return all
    .filter((key) => !aliases.includes(key))
    .map((key) => ({
      ...key,
      others: aliases
        .filter(({ documentation }) => ALIAS.exec(documentation)?.[1] === key.name)
        .map(({ name }) => name),
    }));
}

const POSTGRES_GROUPS: readonly (readonly [title: string, groups: readonly string[]])[] = [
  ['Connection', ['CONNECTION', 'CONNECTION_ADVANCED']],
  ['TLS', ['CONNECTION_ADVANCED_SSL']],
  ['Slot, publication, replication', ['CONNECTION_ADVANCED_REPLICATION']],
  ['What to capture', ['FILTERS']],
  ['Snapshot', ['CONNECTOR_SNAPSHOT']],
  ['Events', ['CONNECTOR']],
  ['Signals, notifications, masks, keys', ['CONNECTOR_ADVANCED']],
  ['Heartbeat', ['ADVANCED_HEARTBEAT']],
  ['Queue, retries, metrics', ['ADVANCED']],
  ['Keys that Debezium does not list', ['MILLRACE']],
];

function postgresPage(): string {
  const constraints = new Map<string, Constraint | undefined>(
    POSTGRES_DEFINITIONS.map(({ name, constraint }) => [name, constraint]),
  );
  const all = withOtherNames(
    postgresConnector.config.map((key) => {
      const constraint = constraints.get(key.name);
      const shown = referenceKey(key, constraint && limits(constraint));
      return constraint?.kind === 'required' ? { ...shown, default: undefined } : shown;
    }),
  );
  const isAbsent = ({ documentation }: ReferenceKey): boolean => documentation.startsWith('Not supported');
  const sections = POSTGRES_GROUPS.map(([title, groups]) => {
    const own = all.filter((key) => groups.includes(key.group ?? '') && !isAbsent(key));
    return [title, keys(own)] as const;
  });
  const shown = POSTGRES_GROUPS.flatMap(([, groups]) => groups);
  const left = all.filter(({ group }) => !shown.includes(group ?? ''));
  if (left.length > 0) throw new Error(`No section for ${left.map(({ name }) => name).join(', ')}`);
  const absent = all.filter(isAbsent).map(({ name, documentation }) => `| \`${name}\` | ${documentation} |\n`);
  return page(
    'PostgreSQL source: every key',
    `
Every key of \`io.debezium.connector.postgresql.PostgresConnector\`, under Debezium's names.
The [guide](../../connectors/postgres/README.md) explains how they work together; the keys of every connector are in [Keys of every connector](connector-keys.md).
Lists are comma-separated; include and exclude lists consist of Java regular expressions that match the whole name, ignoring case.
Keys under "Keys that Debezium does not list" are Millrace's own, and keys that Debezium reads but leaves out of its definitions.
`,
    [
      ...sections,
      ['Keys without an implementation', `Debezium has these, too.\n\n| key | |\n|---|---|\n${absent.join('')}`],
    ],
  );
}

function limits(constraint: Constraint): string {
  const texts = { required: '', positive: 'at least 1', nonNegative: 'at least 0', patterns: 'regular expressions' };
  return constraint.kind === 'oneOf'
    ? constraint.values.map((value) => `\`${value}\``).join(', ')
    : texts[constraint.kind];
}

function filePage(): string {
  return page(
    'File source and file sink: every key',
    `
The [guide](../../connectors/file/README.md) explains them; the keys of every connector are in [Keys of every connector](connector-keys.md).
`,
    [
      ['Source', keys(fileStreamSource.config.map((key) => referenceKey(key)))],
      ['Sink', keys(fileStreamSink.config.map((key) => referenceKey(key)))],
    ],
  );
}

function analyticsPage(): string {
  const definitions = new Map<string, (typeof ANALYTICS_DEFINITIONS)[number]>(
    ANALYTICS_DEFINITIONS.map((definition) => [definition.name, definition]),
  );
  const all = withOtherNames(
    analyticsSink.config.map((key) => {
      const { required, constraint } = definitions.get(key.name) ?? {};
      const validator = constraint && ((value: unknown) => constraint(value as string));
      const shown = referenceKey({ ...key, ...(validator && { validator }) } as ConfigKey);
      return required ? { ...shown, default: undefined } : shown;
    }),
  );
  const groups = [...new Set(all.map(({ group }) => group ?? ''))];
  return page(
    'Analytics sink: every key',
    `
The [guide](../../connectors/analytics/README.md) explains them; the keys of every connector are in [Keys of every connector](connector-keys.md).
`,
    groups.map((title) => [title, keys(all.filter(({ group }) => group === title))]),
  );
}

function connectorKeysPage(): string {
  const of = (all: readonly ConfigKey[]): string => keys(all.map((key) => referenceKey(key)));
  return page(
    'Keys of every connector',
    `
What a connector config may contain besides the keys of the connector itself.
Prefixes lead to the settings of other parts: \`key.converter.\`, \`value.converter.\`, \`header.converter.\`, \`transforms.ALIAS.\`, \`predicates.ALIAS.\` (see [Transformations, predicates, converters](transformations.md) and [Converters with a schema registry](schema-registry-converters.md)), and \`producer.override.\`, \`consumer.override.\`, \`admin.override.\` to those of Kafka's clients.
`,
    [
      ['All connectors', of(commonKeys({ ...NO_CHOICES, connectorVersion: null, connectorVersions: [] }))],
      ['Sources', of(Object.values(SOURCE_KEYS))],
      ['Sinks', of(Object.values(SINK_KEYS))],
      [
        'Millrace only',
        `Clients do not see these in the definitions, so that their forms look as with Java; they are checked if a config contains them.\n\n${of(Object.values(MILLRACE_KEYS))}`,
      ],
    ],
  );
}

interface Plugin {
  readonly className: string;
  readonly plugin: { readonly type: string; readonly config: readonly ConfigKey[] };
}

function transformationsPage(): string {
  return page(
    'Transformations, predicates, converters: every key',
    `
Kafka's are part of the worker, Debezium's are in a [package that comes with it](../../connectors/transforms-debezium/README.md).
A class with \`$Key\` and \`$Value\` transforms the key or the value of the record.
A transformation may have \`predicate\`, the alias of a predicate, and \`negate\`.
`,
    [
      ['Kafka’s transformations', plugins(builtInTransformations)],
      ['Predicates', plugins(builtInPredicates)],
      ['Debezium’s transformations', plugins(debeziumTransformations())],
      ['Converters', plugins(builtInConverters.filter(({ plugin }) => plugin.type === 'converter'))],
    ],
  );
}

function registryConvertersPage(): string {
  const of = (all: readonly ConfigKey[]): string => keys(withOtherNames(all.map((key) => referenceKey(key))));
  return page(
    'Converters with a schema registry: every key',
    `
The [guide](../how-to/schema-registry.md) explains how they work together.
In a config, each key has the prefix \`key.converter.\` or \`value.converter.\`.
`,
    [
      ['Schema registry', of(REGISTRY_CONFIG)],
      ['AvroConverter', of(AVRO_CONFIG)],
      ['JsonSchemaConverter', of(JSON_SCHEMA_CONFIG)],
      ['ProtobufConverter', of(PROTOBUF_CONFIG)],
      ['Apicurio’s AvroConverter', of(APICURIO_CONFIG)],
    ],
  );
}

function debeziumTransformations(): Plugin[] {
  const manifest = JSON.parse(
    readFileSync(join(ROOT, 'connectors', 'transforms-debezium', 'package.json'), 'utf8'),
  ) as {
    millrace: { plugins: readonly { type: string; class: string; export: string }[] };
  };
  const exported = { ...debezium, ...scripting } as Readonly<Record<string, Plugin['plugin']>>;
  return manifest.millrace.plugins
    .filter(({ type }) => type === 'transformation')
    .map(({ class: className, export: name }) => ({ className, plugin: exported[name] as Plugin['plugin'] }));
}

function plugins(all: readonly Plugin[]): string {
  const byConfig = new Map<string, { names: string[]; config: readonly ConfigKey[] }>();
  for (const { className, plugin } of all) {
    const base = className.replace(/\$\w+$/, '');
    const entry = byConfig.get(base) ?? { names: [], config: plugin.config };
    byConfig.set(base, { ...entry, names: [...entry.names, className] });
  }
  return [...byConfig]
    .map(([base, { names, config }]) => {
      const heading = `### ${base.replace(/^.*\./, '')}\n\n${names.map((name) => `\`${name}\``).join(', ')}\n`;
      const own = withOtherNames(config.map((key) => referenceKey(key)));
      return [heading, ...(own.length === 0 ? ['No keys.\n'] : own.map((key) => keySection(key, '####')))].join('\n');
    })
    .join('\n');
}

function workerPage(): string {
  const rows = [WORKER_SETTINGS, EMBEDDED_SETTINGS].flatMap(rowsOf);
  const sections = SETTING_GROUPS.map(
    (title) => [title, keys(rows.filter(({ group }) => group === title).map(workerKey))] as const,
  );
  return page(
    'Worker settings: every key',
    `
Keys of \`worker.properties\`, under Java's names.
[Settings](../operations.md#settings) explains those to decide on, environment variables, and secrets.
Settings of Kafka's clients have no row here: without a prefix they are the worker's own (\`security.protocol\`, \`sasl.*\`, \`ssl.*\`, \`request.timeout.ms\`), with \`producer.\`, \`consumer.\` and \`admin.\` those of the connectors' clients.
\`key.converter.*\`, \`value.converter.*\` and \`header.converter.*\` are settings of the [converters](transformations.md#converters), \`config.providers.NAME.*\` those of a config provider, and \`config.storage.*\`, \`offset.storage.*\`, \`status.storage.*\` also settings of the topics.
`,
    sections,
  );
}
