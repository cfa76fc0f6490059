/** All commands. Each spec is loaded only when its command, the list of commands or completion needs it. */
import type { CommandCatalogue, CommandSpec } from './program/command-spec';

const LOADERS: Readonly<Record<string, () => { readonly command: CommandSpec }>> = {
  start: () => require('./verbs/start') as typeof import('./verbs/start'),
  dev: () => require('./verbs/dev') as typeof import('./verbs/dev'),
  consume: () => require('./verbs/consume') as typeof import('./verbs/consume'),
  produce: () => require('./verbs/produce') as typeof import('./verbs/produce'),
  offsets: () => require('./verbs/offsets') as typeof import('./verbs/offsets'),
  dlq: () => require('./verbs/dlq') as typeof import('./verbs/dlq'),
  apply: () => require('./verbs/apply') as typeof import('./verbs/apply'),
  patch: () => require('./verbs/patch') as typeof import('./verbs/patch'),
  diff: () => require('./verbs/diff') as typeof import('./verbs/diff'),
  validate: () => require('./verbs/validate') as typeof import('./verbs/validate'),
  loggers: () => require('./verbs/loggers') as typeof import('./verbs/loggers'),
  explain: () => require('./verbs/explain') as typeof import('./verbs/explain'),
  top: () => require('./verbs/top') as typeof import('./verbs/top'),
  doctor: () => require('./verbs/doctor') as typeof import('./verbs/doctor'),
  preview: () => require('./verbs/preview') as typeof import('./verbs/preview'),
  get: () => require('./verbs/get') as typeof import('./verbs/get'),
  describe: () => require('./verbs/describe') as typeof import('./verbs/describe'),
  status: () => require('./verbs/status') as typeof import('./verbs/status'),
  pause: () => require('./verbs/pause') as typeof import('./verbs/pause'),
  resume: () => require('./verbs/resume') as typeof import('./verbs/resume'),
  stop: () => require('./verbs/stop') as typeof import('./verbs/stop'),
  restart: () => require('./verbs/restart') as typeof import('./verbs/restart'),
  delete: () => require('./verbs/delete') as typeof import('./verbs/delete'),
  completion: () => require('./verbs/completion') as typeof import('./verbs/completion'),
  context: () => require('./verbs/context') as typeof import('./verbs/context'),
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
