/** All commands. Each spec is loaded only when its command, the list of commands or completion needs it. */
import type { CommandCatalogue, CommandSpec, LoadCommand } from '@millrace/cli/program/command-spec';
import { restCommands } from '@millrace/cli/rest-commands';
import type * as ErrorPage from '../logging/error-page';
import type * as Offline from './worker/validate-offline';

/** Plugins and their validation take time to load. */
const loadOffline = () => require('./worker/validate-offline') as typeof Offline;

const REST = restCommands({
  validateOffline: (documents, invocation) => loadOffline().validateOffline(documents, invocation),
  errorEntries: () => (require('../logging/error-page') as typeof ErrorPage).readErrorPage(),
});

/** In the order of help and completion. */
const LOADERS: Readonly<Record<string, LoadCommand>> = {
  start: () => require('./verbs/start') as typeof import('./verbs/start'),
  dev: () => require('./verbs/dev') as typeof import('./verbs/dev'),
  consume: () => require('./verbs/consume') as typeof import('./verbs/consume'),
  produce: () => require('./verbs/produce') as typeof import('./verbs/produce'),
  offsets: REST.offsets,
  dlq: () => require('./verbs/dlq') as typeof import('./verbs/dlq'),
  apply: REST.apply,
  patch: REST.patch,
  diff: REST.diff,
  validate: REST.validate,
  loggers: REST.loggers,
  explain: REST.explain,
  top: REST.top,
  doctor: () => require('./verbs/doctor') as typeof import('./verbs/doctor'),
  preview: () => require('./verbs/preview') as typeof import('./verbs/preview'),
  get: REST.get,
  describe: REST.describe,
  status: REST.status,
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
    ],
  ],
  ['Records', ['produce', 'consume', 'dlq', 'preview']],
  ['Diagnosis', ['doctor', 'explain', 'loggers', 'top']],
  ['Settings', ['context', 'completion']],
];

const names = Object.keys(LOADERS);
const load = (name: string): CommandSpec | undefined =>
  Object.hasOwn(LOADERS, name) ? LOADERS[name]?.().command : undefined;

export const COMMANDS: CommandCatalogue = {
  names,
  groups: GROUPS,
  load,
  all: () => names.flatMap((name) => load(name) ?? []),
};
