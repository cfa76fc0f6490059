/** Schemas of requests and responses, for the OpenAPI document. Source: connect-rest §1, §3, §6. */
import { STATES } from '../../cluster/entities';

type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const integer = { type: 'integer' };
const flag = { type: 'boolean' };
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
  Connectors: {
    oneOf: [list(text), map(object({ status: ref('ConnectorState'), info: ref('ConnectorInfo') }, ['status', 'info']))],
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
  Plugins: list(
    object(
      {
        class: text,
        type: { enum: ['sink', 'source', 'transformation', 'predicate', 'converter', 'header_converter'] },
        version: textOrNull,
      },
      ['version'],
    ),
  ),
  ConfigKey: object({
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
  }),
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
