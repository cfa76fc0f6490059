/**
 * JSON Schema of a connector's documents, for editors: of the config map (`PUT /connectors/{name}/config`) and of the
 * registration document (`POST /connectors`, `millrace apply`). It accepts whatever the worker accepts. Pure.
 */
import { INITIAL_STATES } from '@millrace/texts/rest-names';
import type { FrameworkKey } from '../framework-key';
import { DRAFT, keySchemas, keySchema, TEXT, textSchema, type JsonSchema, type Properties } from './key-schema';
import { inAnyCase, NOT_BLANK, PLACEHOLDER } from './text-pattern';

export interface ConverterSubject {
  /** Such as `key.converter`. */
  readonly key: string;
  /** What the key may be set to for this converter. */
  readonly names: readonly string[];
  /** Its own keys, without the prefix. */
  readonly own: readonly FrameworkKey[];
}

export interface ConnectorSubject {
  readonly class: string;
  readonly version: string;
  readonly type: 'source' | 'sink';
  /** Names that `connector.class` may have; the class is the first. */
  readonly names: readonly string[];
  /** The plugin's keys. */
  readonly own: readonly FrameworkKey[];
  /** Keys of the runtime, without those that the plugin defines itself. */
  readonly framework: readonly FrameworkKey[];
  /** `validatesValues` of the plugin. */
  readonly ownChecks: boolean;
  readonly converters: readonly ConverterSubject[];
  /** Classes for `transforms.<alias>.type`. */
  readonly transformations: readonly string[];
  /** Classes for `predicates.<alias>.type`. */
  readonly predicates: readonly string[];
}

/** The registration document, around the config. */
const REGISTRATION: JsonSchema = {
  type: 'object',
  properties: {
    $schema: {
      description: 'For editors. `millrace apply` leaves it out; POST /connectors refuses it.',
      type: 'string',
    },
    name: {
      description: 'Name of the connector, unique within the group of workers.',
      type: TEXT,
      pattern: String.raw`[^\u0000-\u0020]`,
      patternErrorMessage: 'A connector needs a name.',
    },
    config: { $ref: '#/definitions/config' },
    initial_state: {
      description: 'State in which the connector is created.',
      anyOf: [
        { enum: INITIAL_STATES },
        { type: 'string', pattern: `^(?:${INITIAL_STATES.map(inAnyCase).join('|')})$|${PLACEHOLDER}` },
        { type: 'null' },
      ],
      default: 'RUNNING',
    },
    labels: {
      description: 'For `millrace apply`, which stores them in the config. POST /connectors refuses them.',
      type: ['object', 'null'],
    },
    // The rest of what a worker returns for a connector, which `millrace apply` ignores.
    tasks: true,
    type: true,
  },
  required: ['config'],
  anyOf: [{ required: ['name'] }, { properties: { config: { required: ['name'] } } }],
  additionalProperties: false,
};

export function connectorSchema(subject: ConnectorSubject): JsonSchema {
  const { own, framework, ownChecks } = subject;
  const config: JsonSchema = {
    type: 'object',
    properties: {
      ...keySchemas(framework, { nullable: false, ownChecks: false }),
      ...keySchemas(own, { nullable: true, ownChecks }),
      'connector.class': classSchema(subject),
      labels: { description: 'For `millrace apply`: the labels of the connector.', type: ['object', ...TEXT] },
    },
    patternProperties: families(subject),
    // As in Connect, keys without a definition are accepted.
    additionalProperties: textSchema(false),
    // `name` may be in the URL or in the registration document instead.
    required: ['connector.class', ...own.filter(isRequired).map(({ name }) => name)],
    allOf: [...requirements(subject), ...subject.converters.map(converterRules)],
  };
  return {
    $schema: DRAFT,
    title: subject.class,
    description: `Config of ${subject.class} ${subject.version}: a registration document, or its config alone.`,
    type: 'object',
    // Offered in an empty document. A config may have a key of that name, too.
    properties: {
      config: {
        description: 'Config of the connector, in a registration document.',
        type: ['object', ...TEXT, 'null'],
        default: {},
      },
    },
    if: { required: ['config'], properties: { config: { type: 'object' } } },
    then: { $ref: '#/definitions/registration' },
    else: { $ref: '#/definitions/config' },
    definitions: { config, registration: REGISTRATION },
  };
}

function isRequired({ name, default: preset }: FrameworkKey): boolean {
  return preset === undefined && name !== 'name' && name !== 'connector.class';
}

/** The worker does not trim the class. */
function classSchema({ framework, names }: ConnectorSubject): JsonSchema {
  const key = framework.find(({ name }) => name === 'connector.class');
  const { type: _, ...described } = key ? keySchema(key, { nullable: false, ownChecks: false }) : {};
  return {
    ...described,
    default: names[0],
    anyOf: [{ enum: names }, { type: 'string', pattern: PLACEHOLDER }],
  };
}

/** Keys whose names contain an alias or the name of another setting: only the worker checks their values. */
function families({ transformations, predicates }: ConnectorSubject): Properties {
  const of = (description: string, examples: readonly string[] = []): JsonSchema => ({
    description,
    ...textSchema(false),
    ...(examples.length === 0 ? {} : { examples }),
  });
  return {
    [String.raw`^transforms\.[^.]+\.type$`]: of('Class of the transformation.', transformations),
    [String.raw`^transforms\.[^.]+\.predicate$`]: of('Alias of the predicate that selects the records to transform.'),
    [String.raw`^transforms\.[^.]+\.negate$`]: of(
      'Apply the transformation to records that the predicate does not match.',
      ['true', 'false'],
    ),
    [String.raw`^predicates\.[^.]+\.type$`]: of('Class of the predicate.', predicates),
    [String.raw`^(?:producer|consumer|admin)\.override\..`]: of(
      "Setting of this connector's Kafka client, if the worker's connector.client.config.override.policy allows it.",
    ),
    [String.raw`^topic\.creation\.[^.]+\..`]: of('Setting of the topics that this source creates.'),
  };
}

/** Of each group of keys, one must have a value that is not blank. */
function requirements({ own, type }: ConnectorSubject): JsonSchema[] {
  const spellings = (name: string): string[] => [
    name,
    ...own.filter(({ aliasOf }) => aliasOf === name).map((alias) => alias.name),
  ];
  const groups = own
    .filter(({ requiredUnless }) => requiredUnless != null)
    .map(({ name, requiredUnless = [] }) => [name, ...requiredUnless].flatMap(spellings));
  if (type === 'sink') groups.push(['topics', 'topics.regex']);
  return groups.map((names) => ({
    anyOf: names.map((name) => ({
      required: [name],
      properties: { [name]: { type: TEXT, pattern: NOT_BLANK, patternErrorMessage: `${name} needs a value.` } },
    })),
  }));
}

/** The keys of a converter, where the config names it. */
function converterRules({ key, names, own }: ConverterSubject): JsonSchema {
  const prefixed = own.map((one) => ({ ...one, name: `${key}.${one.name}` }));
  return {
    if: { required: [key], properties: { [key]: { enum: names } } },
    then: { properties: keySchemas(prefixed, { nullable: false, ownChecks: false }) },
  };
}

export interface PluginSubject {
  readonly class: string;
  readonly version: string;
  readonly own: readonly FrameworkKey[];
}

/** Of a transformation, a predicate or a converter: its keys without their prefix. */
export function pluginSchema({ class: name, version, own }: PluginSubject): JsonSchema {
  return {
    $schema: DRAFT,
    title: name,
    description: `Settings of ${name} ${version}, without their prefix, such as transforms.<alias>.`,
    type: 'object',
    properties: keySchemas(own, { nullable: false, ownChecks: false }),
    additionalProperties: textSchema(false),
    required: own.filter((key) => key.default === undefined).map((key) => key.name),
  };
}
