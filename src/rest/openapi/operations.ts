/**
 * Descriptions of the routes for the OpenAPI document, by method and express pattern. `openapi.ts` adds them to the
 * table of routes.
 */
import type { SCHEMAS } from './schemas';

type SchemaName = keyof typeof SCHEMAS;

export interface Operation {
  readonly id: string;
  readonly summary: string;
  /** Query parameters. `repeated`: may occur more than once. */
  readonly query?: readonly { readonly name: string; readonly description: string; readonly repeated?: boolean }[];
  /** Schema of the request body. */
  readonly body?: SchemaName;
  /** Successful responses: description and schema of the body, null for none. Errors are the same for all routes. */
  readonly answers: Readonly<Record<number, readonly [description: string, schema: SchemaName | null]>>;
  /** Media type of successful responses. (Default: JSON) */
  readonly type?: 'text/plain';
  /** Only for requests between workers. */
  readonly internal?: true;
}

const FORWARD = {
  name: 'forward',
  description: 'Between workers: false means that the request must not be forwarded again.',
};
const info = (description: string) => [description, 'ConnectorInfo'] as const;

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /': { id: 'serverInfo', summary: 'Version and Kafka cluster', answers: { 200: ['The worker', 'ServerInfo'] } },
  'GET /health': {
    id: 'health',
    summary: 'Health of the worker: 503 while it starts, 500 when it is stuck',
    answers: { 200: ['The worker is healthy', 'WorkerStatus'] },
  },
  'GET /metrics': {
    id: 'metrics',
    summary: "This worker's metrics in Prometheus text format",
    type: 'text/plain',
    answers: { 200: ['The metrics', 'Metrics'] },
  },
  'GET /openapi.json': { id: 'openApi', summary: 'This document', answers: { 200: ['OpenAPI 3.1', 'Document'] } },
  'GET /connectors': {
    id: 'listConnectors',
    summary: 'All connectors',
    query: [
      { name: 'expand', description: '`status` or `info`: return these details instead of names.', repeated: true },
    ],
    answers: { 200: ['Names, or an object with details by name', 'Connectors'] },
  },
  'POST /connectors': {
    id: 'createConnector',
    summary: 'Create a connector',
    query: [FORWARD],
    body: 'CreateConnector',
    answers: { 201: info('The connector is stored. Its status shows when it runs') },
  },
  'GET /connectors/:name': { id: 'getConnector', summary: 'One connector', answers: { 200: info('The connector') } },
  'DELETE /connectors/:name': {
    id: 'deleteConnector',
    summary: 'Delete a connector. Its offsets are kept',
    query: [FORWARD],
    answers: { 204: ['Deleted', null] },
  },
  'GET /connectors/:name/config': {
    id: 'getConnectorConfig',
    summary: 'Config of a connector, as it was sent; callers that are not admins see `[hidden]` instead of secrets',
    answers: { 200: ['The config', 'Config'] },
  },
  'PUT /connectors/:name/config': {
    id: 'putConnectorConfig',
    summary: 'Create a connector or replace its config',
    query: [FORWARD],
    body: 'GivenConfig',
    answers: { 200: info('Replaced'), 201: info('Created') },
  },
  'PATCH /connectors/:name/config': {
    id: 'patchConnectorConfig',
    summary: 'Change keys of a connector config',
    query: [FORWARD],
    body: 'ConfigPatch',
    answers: { 200: info('Changed') },
  },
  'GET /connectors/:name/status': {
    id: 'getConnectorStatus',
    summary: 'Status of a connector and its tasks',
    answers: { 200: ['The status', 'ConnectorState'] },
  },
  'PUT /connectors/:name/pause': {
    id: 'pauseConnector',
    summary: 'Pause a connector and its tasks',
    answers: { 202: ['Accepted: the connector will pause', null] },
  },
  'PUT /connectors/:name/resume': {
    id: 'resumeConnector',
    summary: 'Resume a paused or stopped connector',
    answers: { 202: ['Accepted: the connector will resume', null] },
  },
  'PUT /connectors/:name/stop': {
    id: 'stopConnector',
    summary: 'Stop a connector: it has no tasks until it is resumed',
    query: [FORWARD],
    answers: { 204: ['The connector will stop', null] },
  },
  'POST /connectors/:name/restart': {
    id: 'restartConnector',
    summary: 'Restart a connector, and optionally its tasks',
    query: [
      { name: 'includeTasks', description: 'true: also restart its tasks. (Default: false)' },
      { name: 'onlyFailed', description: 'true: restart only failed instances. (Default: false)' },
      FORWARD,
    ],
    answers: { 202: ['What will be restarted', 'ConnectorState'], 204: ['Only the connector was restarted', null] },
  },
  'GET /connectors/:name/tasks': {
    id: 'listTasks',
    summary: 'Tasks of a connector and their configs',
    answers: { 200: ['The tasks', 'TaskInfos'] },
  },
  'POST /connectors/:name/tasks': {
    id: 'putTaskConfigs',
    summary: 'Between workers: new task configs, signed with the session key',
    query: [FORWARD],
    body: 'TaskConfigs',
    answers: { 204: ['Stored', null] },
    internal: true,
  },
  'PUT /connectors/:name/fence': {
    id: 'fenceTasks',
    summary: 'Between workers: fence earlier tasks of an exactly-once source, signed with the session key',
    query: [FORWARD],
    answers: { 204: ['Fenced', null] },
    internal: true,
  },
  'GET /connectors/:name/tasks/:task/status': {
    id: 'getTaskStatus',
    summary: 'Status of a task',
    answers: { 200: ['The status', 'TaskState'] },
  },
  'POST /connectors/:name/tasks/:task/restart': {
    id: 'restartTask',
    summary: 'Restart a task',
    query: [FORWARD],
    answers: { 204: ['Restarted', null] },
  },
  'POST /connectors/:name/signals': {
    id: 'signalConnector',
    summary: 'Send a signal to the tasks of a connector, for example to read a table again',
    query: [FORWARD],
    body: 'Signal',
    answers: { 202: ['All tasks have accepted the signal', 'SignalId'] },
  },
  'POST /connectors/:name/tasks/:task/signals': {
    id: 'signalTask',
    summary: 'Send a signal to one task',
    query: [FORWARD],
    body: 'Signal',
    answers: { 202: ['The task has accepted the signal', 'SignalId'] },
  },
  'GET /connectors/:name/topics': {
    id: 'getActiveTopics',
    summary: 'Active topics: topics that the tasks have used',
    answers: { 200: ['The topics', 'ActiveTopics'] },
  },
  'PUT /connectors/:name/topics/reset': {
    id: 'resetActiveTopics',
    summary: 'Reset the active topics',
    answers: { 202: ['Accepted', null] },
  },
  'GET /connectors/:name/offsets': {
    id: 'getOffsets',
    summary: "Offsets of a source, or of a sink's consumer group",
    answers: { 200: ['The offsets', 'Offsets'] },
  },
  'PATCH /connectors/:name/offsets': {
    id: 'alterOffsets',
    summary: 'Alter offsets of a stopped connector',
    query: [FORWARD],
    body: 'Offsets',
    answers: { 200: ['Altered', 'Message'] },
  },
  'DELETE /connectors/:name/offsets': {
    id: 'resetOffsets',
    summary: 'Reset all offsets of a stopped connector',
    query: [FORWARD],
    answers: { 200: ['Reset', 'Message'] },
  },
  'GET /connector-plugins': {
    id: 'listPlugins',
    summary: 'Installed plugins',
    query: [{ name: 'connectorsOnly', description: 'false: also list converters and other plugins. (Default: true)' }],
    answers: { 200: ['The plugins', 'Plugins'] },
  },
  'GET /connector-plugins/:plugin/config': {
    id: 'getPluginConfig',
    summary: 'Config keys of a plugin',
    query: [{ name: 'version', description: 'A version or a range of versions. (Default: the latest)' }],
    answers: { 200: ['The keys', 'ConfigKeys'] },
  },
  'GET /connector-plugins/:plugin/schema': {
    id: 'getPluginSchema',
    summary: "JSON Schema (draft 7) of a connector's documents, or of another plugin's settings, for editors",
    query: [{ name: 'version', description: 'A version or a range of versions. (Default: the latest)' }],
    answers: { 200: ['The schema', 'Document'] },
  },
  'PUT /connector-plugins/:plugin/config/validate': {
    id: 'validateConfig',
    summary: 'Validate a connector config without storing it',
    body: 'GivenConfig',
    answers: {
      200: [
        'The keys with their errors. With the header `Millrace-Validation: keys`, for callers without the role admin, only the keys were checked: the worker connected to nothing and read no files',
        'Validation',
      ],
    },
  },
  'GET /admin/loggers': {
    id: 'listLoggers',
    summary: 'Levels of all loggers that are not OFF and can be set',
    answers: { 200: ['The loggers', 'Loggers'] },
  },
  'GET /admin/loggers/:logger': {
    id: 'getLogger',
    summary: 'Level of a logger',
    answers: { 200: ['The logger', 'LoggerState'] },
  },
  'PUT /admin/loggers/:logger': {
    id: 'setLogger',
    summary: 'Set the level of a logger and of all loggers whose names start with its name',
    query: [{ name: 'scope', description: '`worker` (default), or `cluster`: all workers of the group.' }],
    body: 'LoggerLevel',
    answers: { 200: ['Names of the loggers that changed', 'LoggerNames'], 204: ['Sent to all workers', null] },
  },
};
