/** All commands. Each spec is loaded only when its command, the list of commands or completion needs it. */
import type { CommandSpec } from '../program/command-spec';

const LOADERS: Readonly<Record<string, () => { readonly command: CommandSpec }>> = {
  start: () => require('./start') as typeof import('./start'),
  dev: () => require('./dev') as typeof import('./dev'),
  consume: () => require('./consume') as typeof import('./consume'),
  produce: () => require('./produce') as typeof import('./produce'),
  offsets: () => require('./offsets') as typeof import('./offsets'),
  dlq: () => require('./dlq') as typeof import('./dlq'),
  apply: () => require('./apply') as typeof import('./apply'),
  patch: () => require('./patch') as typeof import('./patch'),
  diff: () => require('./diff') as typeof import('./diff'),
  validate: () => require('./validate') as typeof import('./validate'),
  loggers: () => require('./loggers') as typeof import('./loggers'),
  explain: () => require('./explain') as typeof import('./explain'),
  top: () => require('./top') as typeof import('./top'),
  doctor: () => require('./doctor') as typeof import('./doctor'),
  preview: () => require('./preview') as typeof import('./preview'),
  get: () => require('./get') as typeof import('./get'),
  describe: () => require('./describe') as typeof import('./describe'),
  status: () => require('./status') as typeof import('./status'),
  pause: () => require('./pause') as typeof import('./pause'),
  resume: () => require('./resume') as typeof import('./resume'),
  stop: () => require('./stop') as typeof import('./stop'),
  restart: () => require('./restart') as typeof import('./restart'),
  delete: () => require('./delete') as typeof import('./delete'),
  completion: () => require('./completion') as typeof import('./completion'),
  context: () => require('./context') as typeof import('./context'),
};

/** Headings of `millrace --help` and their commands. A test checks that each command has one. */
export const GROUPS: readonly (readonly [heading: string, names: readonly string[]])[] = [
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

export const COMMAND_NAMES: readonly string[] = Object.keys(LOADERS);

/** Undefined for an unknown name. */
export function loadCommand(name: string): CommandSpec | undefined {
  return Object.hasOwn(LOADERS, name) ? LOADERS[name]?.().command : undefined;
}

export function loadAllCommands(): readonly CommandSpec[] {
  return COMMAND_NAMES.flatMap((name) => loadCommand(name) ?? []);
}
