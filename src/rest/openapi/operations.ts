/**
 * What the OpenAPI document says of each route, by method and Express pattern; `openapi.ts` joins it with the table of
 * routes.
 */
import type { SCHEMAS } from './schemas';

type SchemaName = keyof typeof SCHEMAS;

export interface Operation {
  readonly id: string;
  readonly summary: string;
  /** Query parameters: name and what it does. `repeated`: may be given more than once. */
  readonly query?: readonly { readonly name: string; readonly description: string; readonly repeated?: boolean }[];
  /** Schema of the body it needs. */
  readonly body?: SchemaName;
  /** Successful answers: what they mean and the schema of their body, null for none. Errors are the same everywhere. */
  readonly answers: Readonly<Record<number, readonly [description: string, schema: SchemaName | null]>>;
  /** Media type of successful answers. (Default: JSON) */
  readonly type?: 'text/plain';
  /** Between workers only. */
  readonly internal?: true;
}

const FORWARD = { name: 'forward', description: 'Between workers: false forbids to send the request on.' };
const info = (description: string) => [description, 'ConnectorInfo'] as const;

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /': { id: 'serverInfo', summary: 'Version and Kafka cluster', answers: { 200: ['The worker', 'ServerInfo'] } },
  'GET /health': {
    id: 'health',
    summary: 'Whether the worker has started and answers; 503 while it starts, 500 when it is stuck',
    answers: { 200: ['It is healthy', 'WorkerStatus'] },
  },
  'GET /metrics': {
    id: 'metrics',
    summary: "This worker's metrics, in Prometheus' text format",
    type: 'text/plain',
    answers: { 200: ['The metrics', 'Metrics'] },
  },
  'GET /openapi.json': { id: 'openApi', summary: 'This document', answers: { 200: ['OpenAPI 3.1', 'Document'] } },
  'GET /connectors': {
    id: 'listConnectors',
    summary: 'All connectors',
    query: [{ name: 'expand', description: '`status` or `info`: more than names.', repeated: true }],
    answers: { 200: ['Names, or an object by name', 'Connectors'] },
  },
  'POST /connectors': {
    id: 'createConnector',
    summary: 'Create a connector',
    query: [FORWARD],
    body: 'CreateConnector',
    answers: { 201: info('It is stored; its status says when it runs') },
  },
  'GET /connectors/:name': { id: 'getConnector', summary: 'One connector', answers: { 200: info('The connector') } },
  'DELETE /connectors/:name': {
    id: 'deleteConnector',
    summary: 'Delete a connector; its offsets stay',
    query: [FORWARD],
    answers: { 204: ['It is deleted', null] },
  },
  'GET /connectors/:name/config': {
    id: 'getConnectorConfig',
    summary: "A connector's configuration, as it was sent",
    answers: { 200: ['The configuration', 'Config'] },
  },
  'PUT /connectors/:name/config': {
    id: 'putConnectorConfig',
    summary: 'Create a connector or replace its configuration',
    query: [FORWARD],
    body: 'GivenConfig',
    answers: { 200: info('Replaced'), 201: info('Created') },
  },
  'PATCH /connectors/:name/config': {
    id: 'patchConnectorConfig',
    summary: 'Change keys of a configuration',
    query: [FORWARD],
    body: 'ConfigPatch',
    answers: { 200: info('Changed') },
  },
  'GET /connectors/:name/status': {
    id: 'getConnectorStatus',
    summary: 'What a connector and its tasks are doing',
    answers: { 200: ['The states', 'ConnectorState'] },
  },
  'PUT /connectors/:name/pause': {
    id: 'pauseConnector',
    summary: 'Pause a connector and its tasks',
    answers: { 202: ['It will pause', null] },
  },
  'PUT /connectors/:name/resume': {
    id: 'resumeConnector',
    summary: 'Resume a paused or stopped connector',
    answers: { 202: ['It will resume', null] },
  },
  'PUT /connectors/:name/stop': {
    id: 'stopConnector',
    summary: 'Stop a connector: it keeps its configuration and has no tasks',
    query: [FORWARD],
    answers: { 204: ['It will stop', null] },
  },
  'POST /connectors/:name/restart': {
    id: 'restartConnector',
    summary: 'Restart a connector, and its tasks if asked to',
    query: [
      { name: 'includeTasks', description: 'true: its tasks, too. (Default: false)' },
      { name: 'onlyFailed', description: 'true: only what has failed. (Default: false)' },
      FORWARD,
    ],
    answers: { 202: ['What will be restarted', 'ConnectorState'], 204: ['The connector alone was restarted', null] },
  },
  'GET /connectors/:name/tasks': {
    id: 'listTasks',
    summary: 'Tasks and their configurations',
    answers: { 200: ['The tasks', 'TaskInfos'] },
  },
  'POST /connectors/:name/tasks': {
    id: 'putTaskConfigs',
    summary: 'Between workers: new configurations of tasks, signed with the session key',
    query: [FORWARD],
    body: 'TaskConfigs',
    answers: { 204: ['They are stored', null] },
    internal: true,
  },
  'PUT /connectors/:name/fence': {
    id: 'fenceTasks',
    summary: 'Between workers: fence earlier tasks of an exactly-once source, which are refused here',
    query: [FORWARD],
    answers: { 500: ['There are no exactly-once sources here', 'Error'] },
    internal: true,
  },
  'GET /connectors/:name/tasks/:task/status': {
    id: 'getTaskStatus',
    summary: 'What a task is doing',
    answers: { 200: ['The state', 'TaskState'] },
  },
  'POST /connectors/:name/tasks/:task/restart': {
    id: 'restartTask',
    summary: 'Restart a task',
    query: [FORWARD],
    answers: { 204: ['It was restarted', null] },
  },
  'GET /connectors/:name/topics': {
    id: 'getActiveTopics',
    summary: 'Topics that the tasks have used',
    answers: { 200: ['The topics', 'ActiveTopics'] },
  },
  'PUT /connectors/:name/topics/reset': {
    id: 'resetActiveTopics',
    summary: 'Forget the topics used so far',
    answers: { 202: ['They are forgotten', null] },
  },
  'GET /connectors/:name/offsets': {
    id: 'getOffsets',
    summary: "A source's offsets, or those of a sink's consumer group",
    answers: { 200: ['The offsets', 'Offsets'] },
  },
  'PATCH /connectors/:name/offsets': {
    id: 'alterOffsets',
    summary: 'Change offsets of a stopped connector',
    query: [FORWARD],
    body: 'Offsets',
    answers: { 200: ['They are changed', 'Message'] },
  },
  'DELETE /connectors/:name/offsets': {
    id: 'resetOffsets',
    summary: 'Forget all offsets of a stopped connector',
    query: [FORWARD],
    answers: { 200: ['They are forgotten', 'Message'] },
  },
  'GET /connector-plugins': {
    id: 'listPlugins',
    summary: 'Installed plug-ins',
    query: [{ name: 'connectorsOnly', description: 'false: converters and others, too. (Default: true)' }],
    answers: { 200: ['The plug-ins', 'Plugins'] },
  },
  'GET /connector-plugins/:plugin/config': {
    id: 'getPluginConfig',
    summary: 'Keys that a plug-in understands',
    query: [{ name: 'version', description: 'A version or a range of versions. (Default: the latest)' }],
    answers: { 200: ['The keys', 'ConfigKeys'] },
  },
  'PUT /connector-plugins/:plugin/config/validate': {
    id: 'validateConfig',
    summary: 'Check a configuration without storing it',
    body: 'GivenConfig',
    answers: { 200: ['What is wrong with it, if anything', 'Validation'] },
  },
  'GET /admin/loggers': {
    id: 'listLoggers',
    summary: 'Levels of all loggers that are not off',
    answers: { 200: ['The loggers', 'Loggers'] },
  },
  'GET /admin/loggers/:logger': {
    id: 'getLogger',
    summary: 'Level of a logger',
    answers: { 200: ['The logger', 'LoggerState'] },
  },
  'PUT /admin/loggers/:logger': {
    id: 'setLogger',
    summary: 'Set the level of a logger and of all whose names begin like its own',
    query: [{ name: 'scope', description: '`worker` (default), or `cluster`: all workers of the group.' }],
    body: 'LoggerLevel',
    answers: { 200: ['Names of the loggers that changed', 'LoggerNames'], 204: ['All workers are told', null] },
  },
};
