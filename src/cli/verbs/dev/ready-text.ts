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

/** How to run Millrace again, for the data of this worker. */
export interface Commands {
  /** Runs Millrace. */
  readonly millrace: string;
  /** Empty for the usual data folder; otherwise begins with a space. */
  readonly dataOption: string;
}

export interface ReadyFacts {
  /** URL of the console; null if it is turned off. */
  readonly console: string | null;
  readonly rest: string;
  /** `host:port`. */
  readonly kafka: string;
  /** URL of the schema registry; null without `--registry`. */
  readonly registry: string | null;
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
  const { console, rest, kafka, registry, postgres, data } = facts;
  const next = facts.next.filter(({ command }) => isRunnable(command));
  if (format === 'json') {
    const commands = Object.fromEntries(next.map(({ purpose, command }) => [purpose, command]));
    const fields = {
      ...(console && { console }),
      rest,
      kafka,
      ...(registry && { registry, settings: converterSettings(registry) }),
      ...(postgres && { postgres }),
      ...(data && { data }),
      next: commands,
    };
    const event = { time: now, level: 'info', name: 'millrace.dev', message: 'Millrace is ready', fields } as const;
    return `${formatLine(event, 'json')}\n`;
  }
  // What a newcomer opens first.
  const places = [...(console ? [`console ${console}`] : []), `REST ${rest}`, `Kafka ${kafka}`];
  if (registry) places.push(`schema registry ${registry}`);
  if (postgres) places.push(`PostgreSQL ${postgres}`);
  if (data) places.push(`data ${data}`);
  const width = Math.max(0, ...next.map(({ purpose }) => purpose.length)) + 1;
  const lines = [`${paint('green', 'Millrace is ready:')} ${places.join(', ')}`];
  for (const { purpose, command } of next) lines.push(`  ${paint('bold', `${purpose}:`.padEnd(width))} ${command}`);
  for (const [key, value] of Object.entries(registry ? converterSettings(registry) : {}))
    lines.push(`  ${paint('bold', 'Avro:'.padEnd(width))} ${key}=${value}`);
  return `${lines.join('\n')}\n`;
}

/** Of a connector or a worker whose records have Avro values. */
function converterSettings(registry: string): Readonly<Record<string, string>> {
  return {
    'value.converter': 'io.confluent.connect.avro.AvroConverter',
    'value.converter.schema.registry.url': registry,
  };
}

const NAME = 'hello';

/** A connector, and the topics that it has written to or read from. */
export interface ExistingConnector {
  readonly name: string;
  readonly topics: readonly string[];
}

/**
 * Commands that a newcomer can run as they stand: one registers a file source, and one reads its topic. If there are
 * connectors, they show the status of one and read a topic that has records. Pure.
 * @param file null if the worker uses a Kafka cluster
 */
export function firstSteps(
  url: string,
  connectors: readonly ExistingConnector[],
  file: string | null,
  commands: Commands,
  platform: NodeJS.Platform = process.platform,
): readonly NextStep[] {
  const plugins = { purpose: 'Plugins', command: `curl ${url}/connector-plugins` };
  const step = (purpose: string, command: string, otherwise = plugins): NextStep =>
    isRunnable(command) ? { purpose, command } : otherwise;
  const read = (topic: string): readonly NextStep[] => {
    const command = `${commands.millrace} consume ${shellQuote(topic, platform)}${commands.dataOption}`;
    // With a cluster the command needs the worker's settings, too.
    return file === null || !isRunnable(command) ? [] : [{ purpose: 'Read the topic', command }];
  };
  const [connector] = connectors.toSorted((a, b) => Number(b.topics.length > 0) - Number(a.topics.length > 0));
  if (connector !== undefined) {
    const path = `${url}/connectors/${encodeURIComponent(connector.name)}/status`;
    return [step('Status', `curl ${shellQuote(path, platform)}`), ...connector.topics.slice(0, 1).flatMap(read)];
  }
  if (file === null) return [plugins];
  const config = { 'connector.class': 'FileStreamSource', file, topic: NAME };
  const body = shellQuote(JSON.stringify(config), platform);
  const header = shellQuote('Content-Type: application/json', platform);
  const first = step('Try it', `curl -X PUT -H ${header} ${url}/connectors/${NAME}/config -d ${body}`);
  return first === plugins ? [first] : [first, ...read(NAME)];
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
