/** Settings of EventRouter. Source: cdc-postgres §7.12. */
import type { ConfigKey, ConnectorConfig } from '@millrace/sdk';
import {
  choiceSetting,
  flagSetting,
  invalidSetting,
  listSetting,
  oneOf,
  regexProblem,
  textSetting,
} from '../setting-values';
import { rewriting, type Rewriting } from '../topic-rewriting';

const UPDATES = ['warn', 'error', 'fatal'] as const;
const MISSING = ['ignore', 'error'] as const;
const NULLS = ['ignore', 'optional_bytes'] as const;
const EMPTY_ARRAYS = ['ignore', 'optional_string'] as const;
const ADJUSTMENTS = ['none', 'avro', 'avro_unicode'] as const;
const PLACEMENTS = ['header', 'envelope', 'partition'] as const;

const PLACEMENT = 'table.fields.additional.placement';
const REGEX = 'route.topic.regex';
const REPLACEMENT = 'route.topic.replacement';

const DEFAULTS = {
  'table.field.event.id': 'id',
  'table.field.event.key': 'aggregateid',
  'table.field.event.payload': 'payload',
  'route.by.field': 'aggregatetype',
  [REGEX]: '(?<routedByValue>.*)',
  [REPLACEMENT]: 'outbox.event.${routedByValue}',
};

let position = { group: '', order: 0 };
function key(group: string, name: string, of: Omit<ConfigKey, 'name' | 'group' | 'order'>): ConfigKey {
  position = { group, order: position.group === group ? position.order + 1 : 1 };
  return { name, group, order: position.order, width: 'MEDIUM', ...of };
}
const table = (name: string, of: Omit<ConfigKey, 'name' | 'group' | 'order'>): ConfigKey => key('Table', name, of);
const router = (name: string, of: Omit<ConfigKey, 'name' | 'group' | 'order'>): ConfigKey => key('Router', name, of);
const column = (name: string, displayName: string, fallback: string | null, documentation: string): ConfigKey =>
  table(name, { type: 'STRING', default: fallback, importance: 'LOW', displayName, documentation });
const choice = (
  name: string,
  displayName: string,
  [choices, fallback]: readonly [choices: readonly string[], fallback: string],
  documentation: string,
): ConfigKey =>
  table(name, {
    type: 'STRING',
    default: fallback,
    importance: 'MEDIUM',
    displayName,
    documentation,
    ...oneOf(choices),
  });

export const OUTBOX_CONFIG: readonly ConfigKey[] = [
  column('table.field.event.id', 'Event ID Field', 'id', 'Column whose value becomes the header id.'),
  column('table.field.event.key', 'Event Key Field', 'aggregateid', 'Column whose value becomes the key.'),
  column('table.field.event.type', 'Event Type Field', 'type', 'Without effect, as in Debezium.'),
  column('table.field.event.payload', 'Event Payload Field', 'payload', 'Column whose value becomes the value.'),
  {
    ...column(
      'table.field.event.timestamp',
      'Event Timestamp Field',
      null,
      "Column of Debezium's types Timestamp, MicroTimestamp or NanoTimestamp that becomes the timestamp of the record " +
        '(default: ts_ms of the event).',
    ),
    importance: 'MEDIUM',
  },
  table(PLACEMENT, {
    type: 'LIST',
    default: null,
    importance: 'HIGH',
    displayName: 'Settings for each additional column in the outbox table',
    documentation:
      'Further columns to publish: column:header, column:envelope or column:partition, followed by :name to rename. ' +
      'With an envelope, the value is a struct whose field payload holds the payload.',
    validator: (_, config) => placementProblem(config),
  }),
  choice(
    'table.field.additional.missing',
    'Behavior when an additional field is missing in the change data',
    [MISSING, 'error'],
    `What happens when the table lacks a column of ${PLACEMENT}: error, or ignore.`,
  ),
  column(
    'table.field.event.schema.version',
    'Event Schema Version Field',
    null,
    'Column of type INT32 that becomes the version of the schema of an envelope.',
  ),
  choice(
    'table.op.invalid.behavior',
    'Behavior when capturing an unexpected outbox event',
    [UPDATES, 'warn'],
    'What an update of the outbox table does: it is dropped with a warning (warn) or an error (error) in the log, or fails the task (fatal).',
  ),
  table('table.expand.json.payload', {
    type: 'BOOLEAN',
    default: false,
    importance: 'MEDIUM',
    displayName: 'Expand Payload escaped string as real JSON',
    documentation:
      'Publish a payload in JSON as a struct or an array. A payload that is not JSON stays a text, with a warning.',
  }),
  choice(
    'table.json.payload.null.behavior',
    'Behavior when json payload including null value',
    [NULLS, 'ignore'],
    'What a null in the JSON becomes: no field (ignore), or a null of type bytes (optional_bytes).',
  ),
  choice(
    'table.json.payload.empty.array.behavior',
    'Behavior when json payload including empty array value',
    [EMPTY_ARRAYS, 'ignore'],
    'What an empty array in the JSON becomes: no field (ignore), or an array of texts (optional_string).',
  ),
  router('route.by.field', {
    type: 'STRING',
    default: 'aggregatetype',
    importance: 'HIGH',
    displayName: 'Field to route events by',
    documentation: 'Column of type text whose value selects the topic.',
  }),
  router(REGEX, {
    type: 'STRING',
    default: DEFAULTS[REGEX],
    importance: 'LOW',
    displayName: 'The name of the routed topic',
    documentation:
      'Java regular expression for the whole value of route.by.field. A value that does not match is the topic.',
    validator: (value) => (typeof value === 'string' ? regexProblem(value) : null),
  }),
  router(REPLACEMENT, {
    type: 'STRING',
    default: DEFAULTS[REPLACEMENT],
    importance: 'HIGH',
    displayName: 'The name of the routed topic',
    documentation: `The topic; $1 or \${name} stands for a group of ${REGEX}.`,
  }),
  router('route.tombstone.on.empty.payload', {
    type: 'BOOLEAN',
    default: false,
    importance: 'HIGH',
    displayName: 'Empty payloads cause a tombstone message',
    documentation: 'Publish a tombstone for a payload that is null or blank.',
  }),
  ...(
    [
      ['tracing.span.context.field', 'tracingspancontext', 'Serialized tracing span context field'],
      ['tracing.operation.name', 'debezium-read', 'Tracing operation name'],
    ] as const
  ).map(([name, fallback, displayName]) => tracing(name, fallback, displayName)),
  {
    ...tracing('tracing.with.context.field.only', false, 'Trace only events with context field present'),
    type: 'BOOLEAN',
  },
];

function tracing(name: string, fallback: string | boolean, displayName: string): ConfigKey {
  const documentation = 'Without effect: records are not traced.';
  return key('Tracing', name, { type: 'STRING', default: fallback, importance: 'HIGH', displayName, documentation });
}

export interface AdditionalField {
  readonly column: string;
  readonly placement: (typeof PLACEMENTS)[number];
  readonly name: string;
}

export interface OutboxSettings {
  readonly id: string;
  readonly key: string;
  readonly payload: string;
  /** Null: `ts_ms` of the event. */
  readonly timestamp: string | null;
  readonly version: string | null;
  readonly additional: readonly AdditionalField[];
  readonly ignoreMissing: boolean;
  readonly updates: (typeof UPDATES)[number];
  readonly expandJson: boolean;
  readonly nulls: (typeof NULLS)[number];
  readonly emptyArrays: (typeof EMPTY_ARRAYS)[number];
  readonly fieldNames: (typeof ADJUSTMENTS)[number];
  readonly routeBy: string;
  readonly topic: Rewriting;
  readonly tombstones: boolean;
}

/** Throws ConfigError. */
export function outboxSettings(config: ConnectorConfig): OutboxSettings {
  const problem = placementProblem(config);
  if (problem !== null) throw invalidSetting(PLACEMENT, config[PLACEMENT] ?? null, problem);
  const of = { ...DEFAULTS, ...config };
  const name = (key: keyof typeof DEFAULTS): string => textSetting(of, key) ?? DEFAULTS[key];
  return {
    id: name('table.field.event.id'),
    key: name('table.field.event.key'),
    payload: name('table.field.event.payload'),
    timestamp: textSetting(config, 'table.field.event.timestamp'),
    version: textSetting(config, 'table.field.event.schema.version'),
    additional: listSetting(config, PLACEMENT).map((item) => additionalField(item)),
    ignoreMissing: choiceSetting(config, 'table.field.additional.missing', MISSING, 'error') === 'ignore',
    updates: choiceSetting(config, 'table.op.invalid.behavior', UPDATES, 'warn'),
    expandJson: flagSetting(config, 'table.expand.json.payload', false),
    nulls: choiceSetting(config, 'table.json.payload.null.behavior', NULLS, 'ignore'),
    emptyArrays: choiceSetting(config, 'table.json.payload.empty.array.behavior', EMPTY_ARRAYS, 'ignore'),
    fieldNames: choiceSetting(config, 'field.name.adjustment.mode', ADJUSTMENTS, 'none'),
    routeBy: name('route.by.field'),
    topic: rewriting(of, REGEX, REPLACEMENT),
    tombstones: flagSetting(config, 'route.tombstone.on.empty.payload', false),
  };
}

function additionalField(item: string): AdditionalField {
  const [column = '', placement = '', name = column] = item.split(':').map((part) => part.trim());
  return { column, placement: placement.toLowerCase() as AdditionalField['placement'], name };
}

function placementProblem(config: ConnectorConfig): string | null {
  const items = listSetting(config, PLACEMENT);
  for (const item of items) {
    const parts = item.split(':').length;
    if (parts !== 2 && parts !== 3) {
      return `A comma-separated list of valid String pairs or trios is expected but got: [${items.join(', ')}]`;
    }
    const { placement } = additionalField(item);
    if (!PLACEMENTS.includes(placement)) return `"${item}" needs one of ${PLACEMENTS.join(', ')} after its first colon`;
  }
  return null;
}
