/** All commands. Each spec is loaded only when its command, the list of commands or completion needs it. */
import type { CommandCatalogue, CommandSpec } from './program/command-spec';

const LOADERS: Readonly<Record<string, () => { readonly command: CommandSpec }>> = {
  start: () => require('./commands/start') as typeof import('./commands/start'),
  dev: () => require('./commands/dev') as typeof import('./commands/dev'),
  consume: () => require('./commands/consume') as typeof import('./commands/consume'),
  produce: () => require('./commands/produce') as typeof import('./commands/produce'),
  offsets: () => require('./commands/offsets') as typeof import('./commands/offsets'),
  dlq: () => require('./commands/dlq') as typeof import('./commands/dlq'),
  apply: () => require('./commands/apply') as typeof import('./commands/apply'),
  patch: () => require('./commands/patch') as typeof import('./commands/patch'),
  diff: () => require('./commands/diff') as typeof import('./commands/diff'),
  validate: () => require('./commands/validate') as typeof import('./commands/validate'),
  loggers: () => require('./commands/loggers') as typeof import('./commands/loggers'),
  explain: () => require('./commands/explain') as typeof import('./commands/explain'),
  top: () => require('./commands/top') as typeof import('./commands/top'),
  doctor: () => require('./commands/doctor') as typeof import('./commands/doctor'),
  preview: () => require('./commands/preview') as typeof import('./commands/preview'),
  get: () => require('./commands/get') as typeof import('./commands/get'),
  describe: () => require('./commands/describe') as typeof import('./commands/describe'),
  status: () => require('./commands/status') as typeof import('./commands/status'),
  pause: () => require('./commands/pause') as typeof import('./commands/pause'),
  resume: () => require('./commands/resume') as typeof import('./commands/resume'),
  stop: () => require('./commands/stop') as typeof import('./commands/stop'),
  restart: () => require('./commands/restart') as typeof import('./commands/restart'),
  delete: () => require('./commands/delete') as typeof import('./commands/delete'),
  completion: () => require('./commands/completion') as typeof import('./commands/completion'),
  context: () => require('./commands/context') as typeof import('./commands/context'),
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
