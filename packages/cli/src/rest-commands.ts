/** The commands that only talk REST. The module of each is loaded only when its command needs it. */
import type { ListedCommand } from './program/command-spec';
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
    offsets: {
      summary: 'export, import and reset the offsets of a connector',
      usage: '',
      load: () => require('./verbs/offsets') as typeof import('./verbs/offsets'),
    },
    apply: {
      summary: 'create and change connectors as files describe them',
      usage: '[options]',
      load: () => require('./verbs/apply') as typeof import('./verbs/apply'),
    },
    patch: {
      summary: "change some keys of a connector's config",
      usage: '[options] <connector> [changes...]',
      load: () => require('./verbs/patch') as typeof import('./verbs/patch'),
    },
    diff: {
      summary: 'compare connectors with files; exit code 5 if they differ',
      usage: '[options]',
      load: () => require('./verbs/diff') as typeof import('./verbs/diff'),
    },
    validate: {
      summary: 'validate connector files on a worker, or without one; exit code 5 if one is invalid',
      usage: '[options] <file...>',
      load: () => ({ command: loadValidate().validateCommand(host.validateOffline) }),
    },
    loggers: {
      summary: 'change log levels of running workers',
      usage: '',
      load: () => require('./verbs/loggers') as typeof import('./verbs/loggers'),
    },
    explain: {
      summary: 'explain an error code: what happened, what to do',
      usage: '[options] <text...>',
      load: () => ({ command: loadExplain().explainCommand(host.errorEntries) }),
    },
    top: {
      summary: 'show throughput, lag and errors of connectors, CPU and memory of workers',
      usage: '[options] [names...]',
      load: () => require('./verbs/top') as typeof import('./verbs/top'),
    },
    get: {
      summary: 'list connectors, plugins, offsets, workers, loggers or topics',
      usage: '',
      load: () => require('./verbs/get') as typeof import('./verbs/get'),
    },
    describe: {
      summary: 'show all about a connector or a plugin',
      usage: '',
      load: () => require('./verbs/describe') as typeof import('./verbs/describe'),
    },
    status: {
      summary: 'show on one screen what runs and what failed',
      usage: '[options] [names...]',
      load: () => require('./verbs/status') as typeof import('./verbs/status'),
    },
    pause: {
      summary: 'pause connectors and their tasks',
      usage: '[options] [names...]',
      load: () => require('./verbs/pause') as typeof import('./verbs/pause'),
    },
    resume: {
      summary: 'resume paused or stopped connectors',
      usage: '[options] [names...]',
      load: () => require('./verbs/resume') as typeof import('./verbs/resume'),
    },
    stop: {
      summary: 'stop connectors and their tasks',
      usage: '[options] [names...]',
      load: () => require('./verbs/stop') as typeof import('./verbs/stop'),
    },
    restart: {
      summary: 'restart connectors, or what failed of them',
      usage: '[options] [names...]',
      load: () => require('./verbs/restart') as typeof import('./verbs/restart'),
    },
    delete: {
      summary: 'delete connectors',
      usage: '[options] [names...]',
      load: () => require('./verbs/delete') as typeof import('./verbs/delete'),
    },
    logs: {
      summary: 'show recent log lines of a connector, from all workers',
      usage: '[options] <connector>',
      load: () => require('./verbs/logs') as typeof import('./verbs/logs'),
    },
    history: {
      summary: 'show what changed lately, by whom and why',
      usage: '[options] [connector]',
      load: () => require('./verbs/history') as typeof import('./verbs/history'),
    },
    signals: {
      summary: 'list the signals that a connector accepts, or send one',
      usage: '[options] <connector> [type]',
      load: () => require('./verbs/signals') as typeof import('./verbs/signals'),
    },
    ui: {
      summary: 'print the address of the console, and open it in a browser',
      usage: '[options]',
      load: () => require('./verbs/ui') as typeof import('./verbs/ui'),
    },
    completion: {
      summary: 'print a script that completes commands in bash, zsh or fish',
      usage: '<shell>',
      load: () => require('./verbs/completion') as typeof import('./verbs/completion'),
    },
    context: {
      summary: 'list, choose and change the clusters that commands ask',
      usage: '',
      load: () => require('./verbs/context') as typeof import('./verbs/context'),
    },
  }) satisfies Readonly<Record<string, ListedCommand>>;
