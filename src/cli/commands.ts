/** All commands. The module of each is loaded only when its command needs it. */
import { type CommandCatalogue, restCommands } from '@millrace/cli';
import type * as ErrorPage from '../logging/error-page';
import type * as Offline from './worker/validate-offline';

/** Plugins and their validation take time to load. */
const loadOffline = () => require('./worker/validate-offline') as typeof Offline;

const REST = restCommands({
  validateOffline: (documents, invocation) => loadOffline().validateOffline(documents, invocation),
  errorEntries: () => (require('../logging/error-page') as typeof ErrorPage).readErrorPage(),
});

/** In the order of help and completion. */
const LIST: CommandCatalogue['list'] = {
  start: {
    summary: 'run a distributed worker until SIGTERM or SIGINT',
    usage: '[options] [worker.properties]',
    load: () => require('./verbs/start') as typeof import('./verbs/start'),
  },
  dev: {
    summary: 'run a worker with an embedded Kafka broker, for first runs',
    usage: '[options] [worker.properties]',
    load: () => require('./verbs/dev') as typeof import('./verbs/dev'),
  },
  consume: {
    summary: 'print the records of a topic, through a converter',
    usage: '[options] <topic>',
    load: () => require('./verbs/consume') as typeof import('./verbs/consume'),
  },
  produce: {
    summary: 'send each line of a file as a message',
    usage: '[options] <file>',
    load: () => require('./verbs/produce') as typeof import('./verbs/produce'),
  },
  offsets: REST.offsets,
  dlq: {
    summary: 'list, show and replay dead letters of sink connectors',
    usage: '',
    load: () => require('./verbs/dlq') as typeof import('./verbs/dlq'),
  },
  apply: REST.apply,
  patch: REST.patch,
  diff: REST.diff,
  validate: REST.validate,
  loggers: REST.loggers,
  explain: REST.explain,
  top: REST.top,
  logs: REST.logs,
  history: REST.history,
  ui: REST.ui,
  doctor: {
    summary: 'find what is wrong with Kafka, the workers, connectors and their databases',
    usage: '[options] [files...]',
    load: () => require('./verbs/doctor') as typeof import('./verbs/doctor'),
  },
  preview: {
    summary: 'show the records that a source connector would write',
    usage: '[options] <file>',
    load: () => require('./verbs/preview') as typeof import('./verbs/preview'),
  },
  get: REST.get,
  describe: REST.describe,
  status: REST.status,
  signals: REST.signals,
  pause: REST.pause,
  resume: REST.resume,
  stop: REST.stop,
  restart: REST.restart,
  delete: REST.delete,
  completion: REST.completion,
  context: REST.context,
};

/** A test checks that each command is in one group. */
const GROUPS: CommandCatalogue['groups'] = [
  ['Workers', ['start', 'dev']],
  [
    'Connectors',
    [
      'get',
      'describe',
      'status',
      'pause',
      'resume',
      'stop',
      'restart',
      'delete',
      'apply',
      'diff',
      'patch',
      'validate',
      'offsets',
      'signals',
    ],
  ],
  ['Records', ['produce', 'consume', 'dlq', 'preview']],
  ['Diagnosis', ['doctor', 'explain', 'history', 'loggers', 'logs', 'top', 'ui']],
  ['Settings', ['context', 'completion']],
];

export const COMMANDS: CommandCatalogue = { list: LIST, groups: GROUPS };
