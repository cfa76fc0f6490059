/**
 * The keys of every connector, one row each, in Java's order; `readKey` returns the value of a row. Validation, `GET
 * /connector-plugins/{plugin}/config` and the readers of a connector's settings use the same tables. Source:
 * connect-rest §4.1 to §4.3.
 */
import {
  atLeast,
  atLeastIfSet,
  connectorName,
  limitedTo,
  limitedToAnyCase,
  nonEmptyIfSet,
  pluginVersion,
  regex,
  topicList,
  uniqueAliases,
  type FrameworkKey,
  type KeyTable,
} from './framework-key';

/** Group names that clients show as headings. */
const COMMON = 'Common';
const ERRORS = 'Error Handling';
const EXACTLY_ONCE = 'Exactly Once Support';

/** Known only at validation: the available versions and classes, and the defaults. */
export interface ConverterChoice {
  readonly class: string | null;
  readonly version: string | null;
  readonly classes: readonly string[];
  readonly versions: readonly string[];
  /** Whether the class exists, so that versions can be listed. */
  readonly versioned: boolean;
}
export interface Choices {
  readonly connectorVersions: readonly string[];
  /** That would run if the config asks for none. */
  readonly connectorVersion: string | null;
  readonly key: ConverterChoice;
  readonly value: ConverterChoice;
  readonly header: ConverterChoice;
  /** Resolves a name to a class, or null if there is none. */
  readonly classOf: (name: string) => string | null;
}
const NO_CONVERTER: ConverterChoice = { class: null, version: null, classes: [], versions: [], versioned: true };
/** For the definitions endpoint, where Java shows no defaults for converters. */
export const NO_CHOICES: Omit<Choices, 'connectorVersion' | 'connectorVersions'> = {
  key: NO_CONVERTER,
  value: NO_CONVERTER,
  header: NO_CONVERTER,
  classOf: (name) => name,
};

function converterKeys(part: 'key' | 'value' | 'header', choices: Choices, order: number): FrameworkKey[] {
  const choice = choices[part];
  const title = `${part[0]?.toUpperCase()}${part.slice(1)} converter`;
  return [
    {
      name: `${part}.converter`,
      type: 'CLASS',
      default: choice.class,
      importance: 'LOW',
      documentation: `Translates record ${part}s between Connect data and the bytes in Kafka. Overrides the worker's ${part}.converter, settings included.`,
      group: COMMON,
      order,
      width: 'SHORT',
      displayName: `${title} class`,
      recommended: choice.classes,
      classOf: choices.classOf,
    },
    {
      name: `${part}.converter.plugin.version`,
      type: 'STRING',
      default: choice.version,
      importance: 'LOW',
      documentation: `Version of the ${part} converter, or a range of versions.`,
      group: COMMON,
      order: order + 1,
      width: 'SHORT',
      displayName: `${title} version`,
      recommended: choice.versions,
      visible: choice.versioned,
      check: pluginVersion,
    },
  ];
}

export const COMMON_KEYS = {
  name: {
    name: 'name',
    type: 'STRING',
    importance: 'HIGH',
    documentation: 'Name of the connector, unique within the group of workers.',
    group: COMMON,
    order: 1,
    width: 'MEDIUM',
    displayName: 'Connector name',
    check: connectorName,
  },
  connectorClass: {
    name: 'connector.class',
    type: 'STRING',
    importance: 'HIGH',
    documentation: 'The plugin to run: its full class name, its simple name, or the simple name without "Connector".',
    group: COMMON,
    order: 2,
    width: 'LONG',
    displayName: 'Connector class',
  },
  pluginVersion: {
    name: 'connector.plugin.version',
    type: 'STRING',
    default: null,
    importance: 'MEDIUM',
    documentation: 'Version of the plugin: an exact version, a range such as [1.0,2.0), or latest.',
    group: COMMON,
    order: 3,
    width: 'MEDIUM',
    displayName: 'Connector version',
  },
  tasksMax: {
    name: 'tasks.max',
    type: 'INT',
    default: 1,
    importance: 'HIGH',
    documentation: 'Maximum number of tasks of this connector.',
    group: COMMON,
    order: 4,
    width: 'SHORT',
    displayName: 'Tasks max',
    check: atLeast(1),
  },
  tasksMaxEnforce: {
    name: 'tasks.max.enforce',
    type: 'BOOLEAN',
    default: true,
    importance: 'LOW',
    documentation:
      'Fail a connector that generates more tasks than tasks.max. Deprecated: set it to false only until the connector is fixed.',
    group: COMMON,
    order: 5,
    width: 'SHORT',
    displayName: 'Enforce tasks max',
    deprecated: true,
  },
  transforms: {
    name: 'transforms',
    type: 'LIST',
    default: [],
    importance: 'LOW',
    documentation: 'Aliases of the transformations applied to each record, in order.',
    group: 'Transforms',
    order: 12,
    width: 'LONG',
    displayName: 'Transforms',
    check: uniqueAliases,
  },
  predicates: {
    name: 'predicates',
    type: 'LIST',
    default: [],
    importance: 'LOW',
    documentation: 'Aliases of the predicates that transformations refer to.',
    group: 'Predicates',
    order: 13,
    width: 'LONG',
    displayName: 'Predicates',
    check: uniqueAliases,
  },
  configActionReload: {
    name: 'config.action.reload',
    type: 'STRING',
    default: 'restart',
    importance: 'LOW',
    documentation: 'Action when a value from a config provider expires: restart the connector, or none.',
    group: COMMON,
    order: 14,
    width: 'MEDIUM',
    displayName: 'Reload Action',
    ...limitedTo('none', 'restart'),
  },
  retryTimeoutMs: {
    name: 'errors.retry.timeout',
    type: 'LONG',
    default: 0,
    importance: 'MEDIUM',
    documentation: 'How long a failed operation is retried, in milliseconds. 0: no retries, -1: no limit.',
    group: ERRORS,
    order: 1,
    width: 'MEDIUM',
    displayName: 'Retry Timeout for Errors',
  },
  retryDelayMaxMs: {
    name: 'errors.retry.delay.max.ms',
    type: 'LONG',
    default: 60000,
    importance: 'MEDIUM',
    documentation: 'Maximum delay between retries, in milliseconds.',
    group: ERRORS,
    order: 2,
    width: 'MEDIUM',
    displayName: 'Maximum Delay Between Retries for Errors',
  },
  tolerance: {
    name: 'errors.tolerance',
    type: 'STRING',
    default: 'none',
    importance: 'MEDIUM',
    documentation:
      'none: the first failing record fails the task. all: failing records are skipped and reported as the other keys configure.',
    group: ERRORS,
    order: 3,
    width: 'SHORT',
    displayName: 'Error Tolerance',
    ...limitedTo('none', 'all'),
  },
  logErrors: {
    name: 'errors.log.enable',
    type: 'BOOLEAN',
    default: false,
    importance: 'MEDIUM',
    documentation: 'Log each error with the operation that failed, including tolerated errors.',
    group: ERRORS,
    order: 4,
    width: 'SHORT',
    displayName: 'Log Errors',
  },
  logMessages: {
    name: 'errors.log.include.messages',
    type: 'BOOLEAN',
    default: false,
    importance: 'MEDIUM',
    documentation: "Also log the failed record's topic, partition, offset and timestamp.",
    group: ERRORS,
    order: 5,
    width: 'SHORT',
    displayName: 'Log Error Details',
  },
} as const satisfies KeyTable;

export const SOURCE_KEYS = {
  topicCreationGroups: {
    name: 'topic.creation.groups',
    type: 'LIST',
    default: [],
    importance: 'LOW',
    documentation: 'Groups of settings for topics that this source creates. The group "default" always exists.',
    group: 'Topic Creation',
    order: 1,
    width: 'LONG',
    displayName: 'Topic Creation Groups',
    check: uniqueAliases,
  },
  exactlyOnceSupport: {
    name: 'exactly.once.support',
    type: 'STRING',
    default: 'requested',
    importance: 'MEDIUM',
    documentation: 'required: fail unless exactly-once delivery is supported. requested: run in any case.',
    group: EXACTLY_ONCE,
    order: 2,
    width: 'SHORT',
    displayName: 'Exactly once support',
    ...limitedToAnyCase('REQUIRED', 'REQUESTED'),
  },
  transactionBoundary: {
    name: 'transaction.boundary',
    type: 'STRING',
    default: 'poll',
    importance: 'MEDIUM',
    documentation:
      'When transactions are committed: after each polled batch, at an interval, or as the connector defines.',
    group: EXACTLY_ONCE,
    order: 3,
    width: 'SHORT',
    displayName: 'Transaction Boundary',
    ...limitedToAnyCase('INTERVAL', 'POLL', 'CONNECTOR'),
  },
  transactionIntervalMs: {
    name: 'transaction.boundary.interval.ms',
    type: 'LONG',
    default: null,
    importance: 'LOW',
    documentation:
      "Milliseconds between transactions when transaction.boundary is interval. Default: the worker's offset.flush.interval.ms.",
    group: EXACTLY_ONCE,
    order: 4,
    width: 'SHORT',
    displayName: 'Transaction boundary interval',
    check: atLeastIfSet(0),
  },
  offsetsTopic: {
    name: 'offsets.storage.topic',
    type: 'STRING',
    default: null,
    importance: 'LOW',
    documentation: "Separate topic for this connector's source offsets. Default: the worker's.",
    group: 'offsets.topic',
    order: 1,
    width: 'LONG',
    displayName: 'Offsets topic',
    check: nonEmptyIfSet,
  },
} as const satisfies KeyTable;

export const SINK_KEYS = {
  topics: {
    name: 'topics',
    type: 'LIST',
    default: [],
    importance: 'HIGH',
    documentation: 'Topics to consume. Set either this or topics.regex.',
    requiredUnless: ['topics.regex'],
    group: COMMON,
    order: 4,
    width: 'LONG',
    displayName: 'Topics',
    check: topicList,
  },
  topicsRegex: {
    name: 'topics.regex',
    type: 'STRING',
    default: '',
    importance: 'HIGH',
    documentation:
      'Regular expression for the topics to consume. It must match the whole name. Set either this or topics.',
    requiredUnless: ['topics'],
    group: COMMON,
    order: 4,
    width: 'LONG',
    displayName: 'Topics regex',
    check: regex,
  },
  deadLetterTopic: {
    name: 'errors.deadletterqueue.topic.name',
    type: 'STRING',
    default: '',
    importance: 'MEDIUM',
    documentation: 'Dead letter queue: topic for records that this sink could not process. Empty: none.',
    group: ERRORS,
    order: 6,
    width: 'MEDIUM',
    displayName: 'Dead Letter Queue Topic Name',
  },
  deadLetterReplication: {
    name: 'errors.deadletterqueue.topic.replication.factor',
    type: 'SHORT',
    default: 3,
    importance: 'MEDIUM',
    documentation: 'Replication factor for creating the dead letter queue topic.',
    group: ERRORS,
    order: 7,
    width: 'MEDIUM',
    displayName: 'Dead Letter Queue Topic Replication Factor',
  },
  deadLetterHeaders: {
    name: 'errors.deadletterqueue.context.headers.enable',
    type: 'BOOLEAN',
    default: false,
    importance: 'MEDIUM',
    documentation: 'Add headers (__connect.errors.*) with the error and its context.',
    group: ERRORS,
    order: 8,
    width: 'MEDIUM',
    displayName: 'Enable Error Context Headers',
  },
} as const satisfies KeyTable;

/** Of each group, after `topic.creation.<group>.`. Its other keys are topic configs. */
export const TOPIC_GROUP_KEYS = ['include', 'exclude', 'replication.factor', 'partitions'] as const;

/** The keys of a source and of a sink alike. */
export function commonKeys(choices: Choices): readonly FrameworkKey[] {
  const { connectorVersion, connectorVersions: recommended } = choices;
  const { name, connectorClass, pluginVersion: version, tasksMax, tasksMaxEnforce, ...others } = COMMON_KEYS;
  return [
    name,
    connectorClass,
    { ...version, default: connectorVersion, recommended },
    tasksMax,
    tasksMaxEnforce,
    ...converterKeys('key', choices, 6),
    ...converterKeys('value', choices, 8),
    ...converterKeys('header', choices, 10),
    ...Object.values(others),
  ];
}

export function frameworkKeys(type: 'source' | 'sink', choices: Choices): readonly FrameworkKey[] {
  return [...commonKeys(choices), ...Object.values(type === 'source' ? SOURCE_KEYS : SINK_KEYS)];
}

/** Keys whose values are classes of converters, transformations and predicates, whose aliases may contain dots. */
const EMBEDDED = /^(?<prefix>(?:key|value|header)\.converter|(?:transforms|predicates)\..+(?=\.type$))(?:\.type)?$/;

/**
 * Prefix of the plugin's keys, without the dot; null: the key names no plugin.
 * @example embeddedPrefix('transforms.mask.type') === 'transforms.mask'
 */
export function embeddedPrefix(key: string): string | null {
  return EMBEDDED.exec(key)?.groups?.['prefix'] ?? null;
}
