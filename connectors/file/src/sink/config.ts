/**
 * Settings of the file sink: Java's `file`, followed by Millrace's own, whose defaults keep Java's behavior. Source:
 * analytics-sink §9.2.
 */
import type { ConfigKey, ConfigProblem, ConnectorConfig, ParsedValue, WorkerSettings } from '@millrace/sdk';
import { fileRootProblems } from '../file-root';
import { pathTemplate, templateNames, templateProblem } from './path-template';

export type LineFormat = (typeof KEYS.format.accepts.values)[number];

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

/** Escapes for characters that a properties file cannot contain in a value. */
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0', '\\': '\\' };

function choices<T extends string>(...values: readonly T[]) {
  const allowed: readonly string[] = values;
  return {
    validator: (value: ParsedValue) =>
      allowed.includes(String(value)) ? null : `String must be one of: ${values.join(', ')}`,
    recommended: values,
    accepts: { values },
  };
}

const atLeastZero = (value: ParsedValue): string | null =>
  value !== null && Number(value) < 0 ? 'Value must be at least 0' : null;

const KEYS = {
  file: {
    name: 'file',
    type: 'STRING',
    default: null,
    importance: 'HIGH',
    documentation: 'File to append to, created if missing. Without it, lines go to standard output.',
  },
  format: {
    name: 'file.format',
    type: 'STRING',
    default: 'string',
    importance: 'MEDIUM',
    documentation:
      'string: the value as Java prints it. json: the value as JSON, with decimals as numbers. jsonenvelope: a JSON object of topic, partition, offset, timestamp, key, value and headers.',
    ...choices('string', 'json', 'jsonenvelope'),
  },
  lineSeparator: {
    name: 'file.line.separator',
    type: 'STRING',
    default: '\\n',
    importance: 'LOW',
    documentation: 'Terminator of each line. The escapes \\n, \\r, \\t, \\0 and \\\\ are recognized.',
    // The raw value: parsing trims white space.
    validator: (_: ParsedValue, config: ConnectorConfig) =>
      config['file.line.separator'] === '' ? 'String must be non-empty' : null,
  },
  template: {
    name: 'file.template',
    type: 'BOOLEAN',
    default: false,
    importance: 'MEDIUM',
    documentation:
      'Replaces ${topic}, ${partition}, ${task} and ${timestamp:yyyyMMddHH} (the record timestamp, in UTC) in "file".',
  },
  rotateBytes: {
    name: 'file.rotate.bytes',
    type: 'LONG',
    default: 0,
    importance: 'MEDIUM',
    documentation:
      'Maximum size of a file in bytes; a longer line gets a file of its own. Lines go to <file>.part, which is renamed to <file>.<UTC time> when it is complete. 0: no limit.',
    validator: atLeastZero,
  },
  rotateMs: {
    name: 'file.rotate.ms',
    type: 'LONG',
    default: 0,
    importance: 'MEDIUM',
    documentation: 'Maximum age of a file with lines, in milliseconds. 0: no limit.',
    validator: atLeastZero,
  },
  fsync: {
    name: 'file.fsync',
    type: 'BOOLEAN',
    default: false,
    importance: 'LOW',
    documentation:
      'Writes lines to disk (fdatasync) before their offsets are committed, so that a power failure loses none.',
  },
  createDirs: {
    name: 'file.create.dirs',
    type: 'BOOLEAN',
    default: false,
    importance: 'LOW',
    documentation: 'Creates missing parent directories of the file.',
  },
  tombstones: {
    name: 'file.tombstones',
    type: 'STRING',
    default: 'print',
    importance: 'LOW',
    documentation: 'What to do with tombstones. print: write the line "null". skip: write nothing.',
    ...choices('print', 'skip'),
  },
} as const satisfies Readonly<Record<string, ConfigKey>>;

export const sinkKeys: readonly ConfigKey[] = Object.values(KEYS);

/** @param config a config that passed validation */
export function fileSinkConfig(config: ConnectorConfig): FileSinkConfig {
  const text = ({ name, default: preset }: ConfigKey): string => config[name]?.trim() || String(preset ?? '');
  const flag = (key: ConfigKey): boolean => text(key).toLowerCase() === 'true';
  return {
    file: text(KEYS.file) || null,
    format: text(KEYS.format) as LineFormat,
    // Not trimmed: a separator may consist of white space.
    separator: (config[KEYS.lineSeparator.name] || KEYS.lineSeparator.default).replace(
      /\\([nrt0\\])/g,
      (_, char: string) => ESCAPES[char] ?? '',
    ),
    template: flag(KEYS.template),
    rotateBytes: Number(text(KEYS.rotateBytes)),
    rotateMs: Number(text(KEYS.rotateMs)),
    fsync: flag(KEYS.fsync),
    createDirs: flag(KEYS.createDirs),
    skipTombstones: text(KEYS.tombstones) === 'skip',
  };
}

export async function validateSink(config: ConnectorConfig, settings: WorkerSettings): Promise<ConfigProblem[]> {
  const problems = sinkProblems(config);
  return problems.length > 0 ? problems : await fileRootProblems(exampleFile(config), settings);
}

/** With a template, the file of a sample record. The task checks the files of real records. */
function exampleFile(config: ConnectorConfig): string | null {
  const { file, template } = fileSinkConfig(config);
  return file !== null && template ? pathTemplate(file)({ topic: 'topic', partition: 0, timestamp: 0 }, 0) : file;
}

/** Problems of settings in combination. */
function sinkProblems(config: ConnectorConfig): ConfigProblem[] {
  const { file, template, rotateBytes, rotateMs, createDirs } = fileSinkConfig(config);
  const rotates = rotateBytes > 0 || rotateMs > 0;
  if (file === null) {
    const fileOnly = [
      template && KEYS.template.name,
      rotateBytes > 0 && KEYS.rotateBytes.name,
      rotateMs > 0 && KEYS.rotateMs.name,
      createDirs && KEYS.createDirs.name,
    ].filter((name) => name !== false);
    return fileOnly.map((key) => ({ key, message: `${key} requires a file: set "file", or remove ${key}.` }));
  }
  if (template) {
    const problem = templateProblem(file);
    if (problem !== null) return [{ key: KEYS.file.name, message: problem }];
  }
  const names = template ? templateNames(file) : new Set<string>();
  const isShared = !names.has('task') && !(names.has('topic') && names.has('partition'));
  if (rotates && isShared && Number(config['tasks.max'] ?? 1) > 1) {
    const message =
      'Several tasks cannot rotate the same file: set file.template=true and put ${task}, or ${topic} and ${partition}, into "file".';
    return [{ key: KEYS.file.name, message }];
  }
  return [];
}
