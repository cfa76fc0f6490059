/** The commands that only talk REST. Each spec is loaded only when its command, help or completion needs it. */
import type { LoadCommand } from './program/command-spec';
import type * as Explain from './verbs/explain';
import type * as Validate from './verbs/validate';

/** What the installation around the commands does for them. */
export interface Host {
  /** `validate --offline` */
  readonly validateOffline: Validate.ValidateOffline;
  /** All error codes. */
  readonly errorEntries: () => readonly Explain.ErrorEntry[];
}

const loadValidate = () => require('./verbs/validate') as typeof Validate;
const loadExplain = () => require('./verbs/explain') as typeof Explain;

export const restCommands = (host: Host) =>
  ({
    offsets: () => require('./verbs/offsets') as typeof import('./verbs/offsets'),
    apply: () => require('./verbs/apply') as typeof import('./verbs/apply'),
    patch: () => require('./verbs/patch') as typeof import('./verbs/patch'),
    diff: () => require('./verbs/diff') as typeof import('./verbs/diff'),
    validate: () => ({ command: loadValidate().validateCommand(host.validateOffline) }),
    loggers: () => require('./verbs/loggers') as typeof import('./verbs/loggers'),
    explain: () => ({ command: loadExplain().explainCommand(host.errorEntries) }),
    top: () => require('./verbs/top') as typeof import('./verbs/top'),
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
  }) satisfies Readonly<Record<string, LoadCommand>>;
