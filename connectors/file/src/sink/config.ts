/**
 * The keys of the file sink: Java's `file`, and our own behind it, whose defaults are Java's behaviour. Source:
 * analytics-sink §9.2.
 */
import type { ConfigKey, ConfigProblem, ConnectorConfig, ParsedValue, WorkerSettings } from '@millrace/sdk';
import { fileRootProblems } from '../file-root';
import { pathTemplate, templateNames, templateProblem } from './path-template';

export type LineFormat = 'string' | 'json' | 'jsonenvelope';

export interface FileSinkConfig {
  /** Null: standard output. */
  readonly file: string | null;
  readonly format: LineFormat;
  readonly separator: string;
  readonly template: boolean;
  /** 0: never. */
  readonly rotateBytes: number;
  /** 0: never. */
  readonly rotateMs: number;
  readonly fsync: boolean;
  readonly createDirs: boolean;
  readonly skipTombstones: boolean;
}

const FORMATS: readonly LineFormat[] = ['string', 'json', 'jsonenvelope'];
const TOMBSTONES = ['print', 'skip'];
/** As they may be written in a file of settings, where a line end cannot. */
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0', '\\': '\\' };

const oneOf =
  (allowed: readonly string[]) =>
  (value: ParsedValue): string | null =>
    allowed.includes(String(value)) ? null : `String must be one of: ${allowed.join(', ')}`;

const atLeastZero = (value: ParsedValue): string | null =>
  value !== null && Number(value) < 0 ? 'Value must be at least 0' : null;

export const sinkKeys: readonly ConfigKey[] = [
  {
    name: 'file',
    type: 'STRING',
    default: null,
    importance: 'HIGH',
    documentation: 'File to append to; created when missing. Without it, lines go to standard output.',
  },
  {
    name: 'file.format',
    type: 'STRING',
    default: 'string',
    importance: 'MEDIUM',
    documentation:
      'string: the value as Java prints it; json: the value as JSON, decimals as numbers; jsonenvelope: a JSON object of topic, partition, offset, timestamp, key, value and headers.',
    validator: oneOf(FORMATS),
    recommended: FORMATS,
  },
  {
    name: 'file.line.separator',
    type: 'STRING',
    default: '\\n',
    importance: 'LOW',
    documentation: 'What ends a line; \\n, \\r, \\t, \\0 and \\\\ may be written like this.',
    // As it was given: the parsed value has lost its white space.
    validator: (_, config) => (config['file.line.separator'] === '' ? 'String must be non-empty' : null),
  },
  {
    name: 'file.template',
    type: 'BOOLEAN',
    default: false,
    importance: 'MEDIUM',
    documentation:
      'Whether ${topic}, ${partition}, ${task} and ${timestamp:yyyyMMddHH} (UTC, of the record) in "file" are replaced.',
  },
  {
    name: 'file.rotate.bytes',
    type: 'LONG',
    default: 0,
    importance: 'MEDIUM',
    documentation:
      'The most bytes of a file, unless a single line is longer. The file that grows is <file>.part; it becomes <file>.<UTC time> when it is complete. 0: no limit.',
    validator: atLeastZero,
  },
  {
    name: 'file.rotate.ms',
    type: 'LONG',
    default: 0,
    importance: 'MEDIUM',
    documentation: 'A file with lines is complete after that many milliseconds. 0: never for its age.',
    validator: atLeastZero,
  },
  {
    name: 'file.fsync',
    type: 'BOOLEAN',
    default: false,
    importance: 'LOW',
    documentation:
      'Whether lines are brought to the disk before their offsets are committed, so that a power failure loses none.',
  },
  {
    name: 'file.create.dirs',
    type: 'BOOLEAN',
    default: false,
    importance: 'LOW',
    documentation: 'Whether missing directories of the file are made.',
  },
  {
    name: 'file.tombstones',
    type: 'STRING',
    default: 'print',
    importance: 'LOW',
    documentation: 'print: a record without value is the line "null"; skip: it is left out.',
    validator: oneOf(TOMBSTONES),
    recommended: TOMBSTONES,
  },
];

/** @param config one that `sinkKeys` and `sinkProblems` have nothing against */
export function fileSinkConfig(config: ConnectorConfig): FileSinkConfig {
  const text = (name: string, fallback: string): string => config[name]?.trim() || fallback;
  const flag = (name: string, fallback: boolean): boolean => text(name, String(fallback)).toLowerCase() === 'true';
  return {
    file: text('file', '') || null,
    format: text('file.format', 'string') as LineFormat,
    // Not trimmed: white space is what it is made of.
    separator: (config['file.line.separator'] || '\\n').replace(
      /\\([nrt0\\])/g,
      (_, char: string) => ESCAPES[char] ?? '',
    ),
    template: flag('file.template', false),
    rotateBytes: Number(text('file.rotate.bytes', '0')),
    rotateMs: Number(text('file.rotate.ms', '0')),
    fsync: flag('file.fsync', false),
    createDirs: flag('file.create.dirs', false),
    skipTombstones: text('file.tombstones', 'print') === 'skip',
  };
}

export async function validateSink(config: ConnectorConfig, settings: WorkerSettings): Promise<ConfigProblem[]> {
  const problems = sinkProblems(config);
  return problems.length > 0 ? problems : await fileRootProblems(exampleFile(config), settings);
}

/** With a template: the file of some record; that of another can only be checked when there is one. */
function exampleFile(config: ConnectorConfig): string | null {
  const { file, template } = fileSinkConfig(config);
  return file !== null && template ? pathTemplate(file)({ topic: 'topic', partition: 0, timestamp: 0 }, 0) : file;
}

/** What is wrong with several keys together. */
function sinkProblems(config: ConnectorConfig): ConfigProblem[] {
  const { file, template, rotateBytes, rotateMs, createDirs } = fileSinkConfig(config);
  const rotates = rotateBytes > 0 || rotateMs > 0;
  if (file === null) {
    const needy = [
      template && 'file.template',
      rotateBytes > 0 && 'file.rotate.bytes',
      rotateMs > 0 && 'file.rotate.ms',
      createDirs && 'file.create.dirs',
    ].filter((name) => name !== false);
    return needy.map((key) => ({ key, message: `${key} needs a file: set "file", or remove it.` }));
  }
  if (template) {
    const problem = templateProblem(file);
    if (problem !== null) return [{ key: 'file', message: problem }];
  }
  const names = template ? templateNames(file) : new Set<string>();
  const shared = !names.has('task') && !(names.has('topic') && names.has('partition'));
  if (rotates && shared && Number(config['tasks.max'] ?? 1) > 1) {
    const message =
      'Several tasks cannot rotate one file: set file.template=true and put ${task}, or ${topic} and ${partition}, into "file".';
    return [{ key: 'file', message }];
  }
  return [];
}
