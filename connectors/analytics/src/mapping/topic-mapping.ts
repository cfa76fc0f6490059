/** Maps topics to tables. Sources: analytics-sink §2.1, §2.3. */
import { findFormat, FORMAT_NAMES, type Format } from './formats';
import { parseLenientJson } from './lenient-json';

export interface TableMapping {
  /** A topic, or `*`. */
  readonly topic: string;
  readonly database: string;
  readonly table: string;
  readonly format: Format;
  /** Name of the ingestion mapping; null: columns by position or name. */
  readonly mapping: string | null;
  readonly streaming: boolean;
}

export interface ParsedMappings {
  readonly mappings: readonly TableMapping[];
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

const FIELDS = ['topic', 'db', 'table', 'format', 'mapping', 'streaming'];
const NAME = /^[A-Za-z0-9_.-]+$/;
const NAME_RULE = 'Only alphanumeric characters, underscores, hyphens, and dots are allowed.';

export function parseMappings(text: string): ParsedMappings {
  let parsed: ReturnType<typeof parseLenientJson>;
  try {
    parsed = parseLenientJson(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { mappings: [], problems: [`The mapping is not a JSON list of objects: ${reason}`], warnings: [] };
  }
  const list = Array.isArray(parsed.value) ? (parsed.value as unknown[]) : [parsed.value];
  const problems: string[] = [];
  const mappings = list.flatMap((entry) => parseEntry(entry, problems) ?? []);
  if (list.length === 0) problems.push('The mapping is empty');
  const topics = new Set<string>();
  for (const { topic } of mappings) {
    if (topics.has(topic)) problems.push(`duplicate mapping for topic ${topic}`);
    topics.add(topic);
  }
  const warnings = parsed.warnings.map((warning) => `The mapping is accepted, but is not valid JSON: ${warning}`);
  return { mappings, problems, warnings };
}

/** The topic's own entry, or that of `*`. */
export function findMapping(mappings: readonly TableMapping[], topic: string): TableMapping | null {
  return mappings.find((entry) => entry.topic === topic) ?? mappings.find((entry) => entry.topic === '*') ?? null;
}

function parseEntry(entry: unknown, problems: string[]): TableMapping | null {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    problems.push(`The mapping contains ${JSON.stringify(entry)}, which is not an object`);
    return null;
  }
  const before = problems.length;
  const fields = entry as Record<string, unknown>;
  for (const field of Object.keys(fields)) {
    if (FIELDS.includes(field)) continue;
    if (field === 'eventDataCompression') problems.push(`'eventDataCompression' was removed in 1.0`);
    else {
      const meant = FIELDS.find((known) => known === field.toLowerCase());
      problems.push(`'${field}' is not a field of a mapping${meant ? `; write '${meant}'` : ''}`);
    }
  }
  for (const required of ['db', 'table', 'topic'])
    if (text(fields[required]) === '') problems.push(`'${required}' must be provided for each mapping`);
  for (const named of ['db', 'table', 'mapping'])
    if (text(fields[named]) !== '' && !NAME.test(text(fields[named])))
      problems.push(`'${named}' contains invalid characters: '${text(fields[named])}'. ${NAME_RULE}`);
  const formatName = text(fields.format) || 'csv';
  const format = findFormat(formatName);
  if (!/^[A-Za-z0-9]+$/.test(formatName))
    problems.push(`'format' contains invalid characters: '${formatName}'. Only alphanumeric characters are allowed.`);
  else if (!format) problems.push(`'${formatName}' is not a format; the formats are ${FORMAT_NAMES.join(', ')}`);
  const streaming = text(fields.streaming).toLowerCase() || 'false';
  if (streaming !== 'true' && streaming !== 'false') problems.push(`'streaming' must be true or false`);
  if (problems.length > before || !format) return null;
  return {
    topic: text(fields.topic),
    database: text(fields.db),
    table: text(fields.table),
    format,
    mapping: text(fields.mapping) || null,
    streaming: streaming === 'true',
  };
}

function text(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}
