/** Schemas of requests and responses, for the OpenAPI document. Source: connect-rest §1, §3, §6. */
import { STATES } from '../../cluster/entities';

type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const integer = { type: 'integer' };
const flag = { type: 'boolean' };
const numberOrNull = { type: ['number', 'null'] };
const timeOrNull = { type: ['integer', 'null'], description: 'Milliseconds since the epoch.' };
const list = (items: Schema): Schema => ({ type: 'array', items });
const map = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** All members are required, except `optional` ones. */
function object(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

const instance = {
  state: { enum: STATES },
  worker_id: { ...text, description: 'host:port of the worker that reported the state.' },
  version: textOrNull,
  trace: { ...text, description: 'Why it failed.' },
};
const connectorType = { enum: ['source', 'sink', 'unknown'] };
const taskId = object({ connector: text, task: integer });
const scalar = { type: ['string', 'number', 'boolean', 'null'] };

export const SCHEMAS = {
  Error: object({ error_code: { ...integer, description: 'The HTTP status.' }, message: textOrNull }),
  ServerInfo: object({ version: text, commit: text, kafka_cluster_id: textOrNull }),
  Metrics: text,
  WorkerStatus: object({ status: { enum: ['healthy', 'starting', 'unhealthy'] }, message: text }),
  Config: { ...map(text), description: 'Keys and values of a config. All values are strings.' },
  GivenConfig: {
    ...map(scalar),
    description: 'Like Config, but numbers and booleans are accepted and converted to strings.',
  },
  ConfigPatch: { ...map(scalar), description: 'Keys to set; null removes a key.' },
  CreateConnector: object(
    {
      name: scalar,
      config: ref('GivenConfig'),
      initial_state: { ...textOrNull, description: 'RUNNING, PAUSED or STOPPED, in any case. (Default: RUNNING)' },
    },
    ['initial_state'],
  ),
  ConnectorInfo: object({ name: text, config: ref('Config'), tasks: list(taskId), type: connectorType }),
  InstanceState: object(instance, ['version', 'trace']),
  TaskState: object({ id: integer, ...instance }, ['version', 'trace']),
  ConnectorState: object({
    name: text,
    connector: ref('InstanceState'),
    tasks: list(ref('TaskState')),
    type: connectorType,
  }),
  ConnectorHealth: object({
    name: text,
    health: { enum: ['failed', 'degraded', 'unknown', 'starting', 'running', 'paused', 'stopped'] },
    reasons: list(
      object({
        code: { ...text, description: 'Code of the error, or one that begins with HEALTH_.' },
        message: text,
        cure: textOrNull,
        since: timeOrNull,
        task: { type: ['integer', 'null'] },
        worker_id: textOrNull,
        next_try_at: timeOrNull,
        actions: list(
          object(
            {
              kind: { enum: ['skip-record', 'dead-letter-queue', 'reset-offsets', 'restart'] },
              ...{ topic: text, partition: integer, offset: { ...integer, description: 'Where to continue.' } },
            },
            ['topic', 'partition', 'offset'],
          ),
        ),
      }),
    ),
    plugin: {
      ...object({ class: text, version: textOrNull, location: textOrNull, runs_in: { enum: ['node', 'jvm', null] } }),
      type: ['object', 'null'],
      description: 'What runs it. Null: the worker that answers does not have it.',
    },
    jvms: {
      ...list(
        object({
          worker_id: text,
          state: { enum: ['up', 'starting', 'silent', 'unknown'] },
          own: { type: ['boolean', 'null'], description: 'Whether it runs nothing else.' },
          pid: { type: ['integer', 'null'] },
          ...{ heap_used_bytes: numberOrNull, heap_max_bytes: numberOrNull, memory_bytes: numberOrNull },
          ...{ restarts: numberOrNull, hung_threads: numberOrNull, silent_seconds: numberOrNull },
        }),
      ),
      description: 'JVMs of a plugin in a jar, one for each worker that runs a part of the connector.',
    },
    tasks: list(
      object({
        ...{ id: integer, state: { enum: STATES }, worker_id: text },
        connected: { type: ['boolean', 'null'], description: 'Null: unknown, as all other nulls.' },
        rate: { ...numberOrNull, description: 'Records per second.' },
        lag: object({ records: numberOrNull, bytes: numberOrNull, seconds: numberOrNull }),
        errors: { ...numberOrNull, description: 'Records given up since the task started.' },
        errors_per_second: numberOrNull,
        last_error_at: timeOrNull,
      }),
    ),
  }),
  Connectors: {
    oneOf: [
      list(text),
      map(
        object({ status: ref('ConnectorState'), info: ref('ConnectorInfo'), health: ref('ConnectorHealth') }, [
          'status',
          'info',
          'health',
        ]),
      ),
    ],
    description: 'Names, or with `expand` an object by name.',
  },
  TaskInfos: list(object({ id: taskId, config: ref('Config') })),
  TaskConfigs: list(ref('Config')),
  ActiveTopics: map(object({ topics: list(text) })),
  Offsets: object({
    offsets: list(
      object(
        {
          partition: { type: ['object', 'null'] },
          offset: { type: ['object', 'null'], description: 'Null or absent in a request: reset this partition.' },
        },
        ['offset'],
      ),
    ),
  }),
  Message: object({ message: text }),
  Signal: object(
    {
      id: { ...text, description: 'Names the signal in logs and notifications. (Default: a random UUID)' },
      type: { ...text, description: 'What to do, for example `execute-snapshot`; the plugin defines the types.' },
      data: { type: ['object', 'null'], description: 'Parameters, defined by the plugin.' },
    },
    ['id', 'data'],
  ),
  SignalId: object({ id: text }),
  Actions: object({
    name: text,
    effects: {
      ...map(textOrNull),
      description:
        'By action (`stop`, `restart`, `delete`, `reset_offsets`, `change_offsets`) what it means; null: nothing in particular.',
    },
    delete_statement: {
      ...textOrNull,
      description: 'Removes what the deleted connector leaves in another system; null: nothing, or unknown.',
    },
    signals: {
      type: ['array', 'null'],
      description: 'Null: unknown.',
      items: object({ type: text, description: text, example: { type: 'object' } }, ['example']),
    },
  }),
  LogLines: object({
    lines: list(
      object({
        sequence: { ...integer, description: "Increases within one worker's process." },
        at: { ...integer, description: 'Milliseconds since the epoch.' },
        worker_id: text,
        level: { enum: ['ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'] },
        logger: text,
        task: { type: ['integer', 'null'], description: 'Null: of the connector.' },
        text,
      }),
    ),
    missing: { ...list(text), description: 'Workers that did not answer.' },
  }),
  Changes: object({
    since: { type: ['integer', 'null'], description: 'Of the oldest change that the worker has kept; null: unknown.' },
    changes: list(
      object({
        at: { type: ['integer', 'null'], description: 'Milliseconds since the epoch.' },
        kind: text,
        subject: { ...text, description: 'Name of the connector, the logger or the worker.' },
        task: { type: ['integer', 'null'] },
        cause: object({ by: text, user: textOrNull, detail: textOrNull }),
        keys: list(object({ key: text, before: textOrNull, after: textOrNull })),
      }),
    ),
  }),
  Plugins: list(
    object(
      {
        class: text,
        type: { enum: ['sink', 'source', 'transformation', 'predicate', 'converter', 'header_converter'] },
        version: textOrNull,
        location: text,
        runs_in: { enum: ['node', 'jvm'] },
        selected_by: { ...textOrNull, description: 'Value of `connector.plugin.version` and the like that means it.' },
      },
      ['version', 'location', 'runs_in', 'selected_by'],
    ),
  ),
  ConfigKey: object(
    {
      name: text,
      type: { enum: ['BOOLEAN', 'STRING', 'INT', 'SHORT', 'LONG', 'DOUBLE', 'LIST', 'CLASS', 'PASSWORD'] },
      required: flag,
      default_value: textOrNull,
      importance: { enum: ['HIGH', 'MEDIUM', 'LOW'] },
      documentation: textOrNull,
      group: textOrNull,
      order_in_group: integer,
      width: { enum: ['NONE', 'SHORT', 'MEDIUM', 'LONG'] },
      display_name: text,
      dependents: list(text),
      hints: {
        ...object(
          {
            valid_values: { ...list(text), description: 'The only values, blanks and case aside.' },
            required_unless: { ...list(text), description: 'The key is required unless one of these is set.' },
            alias_of: text,
            deprecated: flag,
            without_effect: flag,
            prominent: {
              ...flag,
              description: 'Whether the key is important for users, if not as its importance says.',
            },
          },
          ['valid_values', 'required_unless', 'alias_of', 'deprecated', 'without_effect', 'prominent'],
        ),
        description: 'With `hints=true`, if there are any.',
      },
    },
    ['hints'],
  ),
  ConfigKeys: list(ref('ConfigKey')),
  ConfigValue: object({
    name: text,
    value: textOrNull,
    recommended_values: list(textOrNull),
    errors: list(text),
    visible: flag,
  }),
  Validation: object(
    {
      name: text,
      error_count: integer,
      groups: list(text),
      configs: list(
        object({
          definition: { oneOf: [ref('ConfigKey'), { type: 'null' }] },
          value: { oneOf: [ref('ConfigValue'), { type: 'null' }] },
        }),
      ),
      warnings: {
        ...list(object({ key: text, message: text, meant: textOrNull, replaced: { const: true } }, ['replaced'])),
        description: 'Keys that are likely typing errors or have no effect, with the key to use in their place.',
      },
    },
    ['warnings'],
  ),
  LoggerState: object({
    level: { enum: ['OFF', 'FATAL', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'] },
    last_modified: { type: ['integer', 'null'], description: 'Milliseconds since the epoch; null: never.' },
  }),
  Loggers: map(ref('LoggerState')),
  LoggerLevel: object({ level: { ...text, description: 'OFF, ERROR, WARN, INFO, DEBUG, TRACE or ALL, in any case.' } }),
  LoggerNames: list(text),
  Document: { type: 'object' },
} satisfies Readonly<Record<string, Schema>>;

export type SchemaName = keyof typeof SCHEMAS;
