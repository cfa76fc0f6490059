/** What `millrace dev` prints when it is ready, and the commands to begin with. */
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join, relative, sep } from 'node:path';
import { isRunnable, type Paint, shellQuote } from '@millrace/cli/terminal';
import { formatLine, type LogFormat } from '../../../logging/format-line';

/** What to do next. */
export interface NextStep {
  readonly purpose: string;
  /** A shell command that works as it stands. */
  readonly command: string;
}

export interface ReadyFacts {
  readonly rest: string;
  /** `host:port`. */
  readonly kafka: string;
  /** URL of the database, without the password; null without `--seed`. */
  readonly postgres: string | null;
  /** Absolute path; null if the worker uses a Kafka cluster. */
  readonly data: string | null;
  readonly next: readonly NextStep[];
}

/**
 * Text: one line without a timestamp, and one for each command, so that it can be copied. JSON: a log line, because
 * standard output is also the log.
 */
export function readyText(facts: ReadyFacts, format: LogFormat, paint: Paint, now = new Date()): string {
  const { rest, kafka, postgres, data } = facts;
  const next = facts.next.filter(({ command }) => isRunnable(command));
  if (format === 'json') {
    const commands = Object.fromEntries(next.map(({ purpose, command }) => [purpose, command]));
    const fields = { rest, kafka, ...(postgres && { postgres }), ...(data && { data }), next: commands };
    const event = { time: now, level: 'info', name: 'millrace.dev', message: 'Millrace is ready', fields } as const;
    return `${formatLine(event, 'json')}\n`;
  }
  const places = [`REST ${rest}`, `Kafka ${kafka}`];
  if (postgres) places.push(`PostgreSQL ${postgres}`);
  if (data) places.push(`data ${data}`);
  const width = Math.max(0, ...next.map(({ purpose }) => purpose.length)) + 1;
  const lines = [`${paint('green', 'Millrace is ready:')} ${places.join(', ')}`];
  for (const { purpose, command } of next) lines.push(`  ${paint('bold', `${purpose}:`.padEnd(width))} ${command}`);
  return `${lines.join('\n')}\n`;
}

const NAME = 'hello';

/**
 * A request that a newcomer can send as it stands: registers a file source; for a connector that exists already,
 * requests its status. Lists the plugins where the shells take no JSON. Pure.
 */
export function firstStep(
  url: string,
  connectors: readonly string[],
  file: string | null,
  platform: NodeJS.Platform = process.platform,
): NextStep {
  const name = connectors.includes(NAME) || file === null ? connectors[0] : undefined;
  const plugins = { purpose: 'Plugins', command: `curl ${url}/connector-plugins` };
  if (name !== undefined) {
    const status = `curl ${shellQuote(`${url}/connectors/${encodeURIComponent(name)}/status`, platform)}`;
    return isRunnable(status) ? { purpose: 'Status', command: status } : plugins;
  }
  if (file === null) return plugins;
  const config = { 'connector.class': 'FileStreamSource', file, topic: NAME };
  const body = shellQuote(JSON.stringify(config), platform);
  const header = shellQuote('Content-Type: application/json', platform);
  const command = `curl -X PUT -H ${header} ${url}/connectors/${NAME}/config -d ${body}`;
  return isRunnable(command) ? { purpose: 'Try it', command } : plugins;
}

/** The file that it reads, with two lines; created in the data folder if it does not exist. */
export function helloFile(dataDir: string): string {
  const file = join(dataDir, 'hello.txt');
  if (!existsSync(file)) writeFileSync(file, 'hello\nEach line of this file becomes a message.\n', { flag: 'wx' });
  return file;
}

/** How this process was started. */
export interface Invocation {
  /** `process.argv[1]`. */
  readonly script: string;
  readonly cwd: string;
  readonly path: string;
  /** Resolves symbolic links; throws if the file does not exist. */
  readonly realpath: (file: string) => string;
}

/** The shortest command that runs the same `millrace` again from this folder: by its name, with npx, or with Node. */
export function ownCommand({ script, cwd, path, realpath }: Invocation): string {
  const real = (file: string): string | null => {
    try {
      return realpath(file);
    } catch {
      return null;
    }
  };
  const own = real(script) ?? script;
  const local = join(cwd, 'node_modules', '.bin');
  // npx and npm's scripts put this folder on the search path of this process only.
  const found = path.split(delimiter).find((folder) => folder !== '' && real(join(folder, 'millrace')) !== null);
  if (found !== undefined && !found.includes(`node_modules${sep}.bin`) && real(join(found, 'millrace')) === own)
    return 'millrace';
  if (real(join(local, 'millrace')) === own) return 'npx millrace';
  const shown = relative(cwd, own);
  return `node ${shellQuote(shown.startsWith('..') ? own : shown)}`;
}
