/** The records of the registry's log, in the format of Confluent's topic `_schemas`. */
import { MAX_ID } from '../bounds';
import type { SchemaReference, SchemaType } from '../schema-format';
import { type Level, levelOf, type Mode, modeOf } from './levels';

/** A version of a subject. */
export interface StoredSchema {
  readonly subject: string;
  readonly version: number;
  readonly id: number;
  readonly type: SchemaType;
  readonly text: string;
  readonly references: readonly SchemaReference[];
  /** Softly: only requests for deleted ones see it. */
  readonly deleted: boolean;
}

export type LogEntry =
  | { readonly kind: 'schema'; readonly schema: StoredSchema }
  | { readonly kind: 'no schema'; readonly subject: string; readonly version: number }
  /** `subject` null: the global one. `level` and `mode` null: removed. */
  | { readonly kind: 'level'; readonly subject: string | null; readonly level: Level | null }
  | { readonly kind: 'mode'; readonly subject: string | null; readonly mode: Mode | null }
  /** All versions up to this one were deleted softly. */
  | { readonly kind: 'subject deleted'; readonly subject: string; readonly version: number }
  /** Ids up to this one have been given, to schemas that are deleted for good too. */
  | { readonly kind: 'last id'; readonly id: number };

type KeyValue = readonly [key: string, value: string | null];

export function encodeEntry(entry: LogEntry): KeyValue {
  switch (entry.kind) {
    case 'schema': {
      const { subject, version, id, type, text, references, deleted } = entry.schema;
      return [
        schemaKey(subject, version),
        JSON.stringify({
          subject,
          version,
          id,
          ...(type === 'AVRO' ? {} : { schemaType: type }),
          ...(references.length === 0 ? {} : { references }),
          schema: text,
          deleted,
        }),
      ];
    }
    case 'no schema':
      return [schemaKey(entry.subject, entry.version), null];
    case 'level':
      return [
        settingKey('CONFIG', entry.subject),
        entry.level && JSON.stringify({ subject: entry.subject, compatibilityLevel: entry.level }),
      ];
    case 'mode':
      return [
        settingKey('MODE', entry.subject),
        entry.mode && JSON.stringify({ subject: entry.subject, mode: entry.mode }),
      ];
    case 'subject deleted':
      return [
        settingKey('DELETE_SUBJECT', entry.subject),
        JSON.stringify({ subject: entry.subject, version: entry.version }),
      ];
    // Confluent's registry writes such records to find the end of the log, and reads no value from them.
    case 'last id':
      return [JSON.stringify({ keytype: 'NOOP', magic: 0 }), JSON.stringify({ lastId: entry.id })];
  }
}

const schemaKey = (subject: string, version: number): string =>
  JSON.stringify({ keytype: 'SCHEMA', subject, version, magic: 1 });
const settingKey = (keytype: string, subject: string | null): string => JSON.stringify({ keytype, subject, magic: 0 });

/** Null: a record of another kind, or of another writer, that the registry does not understand. */
export function decodeEntry(key: string, value: string | null): LogEntry | null {
  const fields = objectOf(key);
  const content = value === null ? null : objectOf(value);
  if (fields === null || (content === null && value !== null)) return null;
  const subject = typeof fields.subject === 'string' ? fields.subject : null;
  switch (fields.keytype) {
    case 'SCHEMA': {
      const version = fields.version;
      if (subject === null || !isPositive(version)) return null;
      if (content === null) return { kind: 'no schema', subject, version };
      const schema = schemaOf(subject, version, content);
      return schema && { kind: 'schema', schema };
    }
    case 'CONFIG': {
      const level = content === null ? null : levelOf(content.compatibilityLevel);
      return level === undefined ? null : { kind: 'level', subject, level };
    }
    case 'MODE': {
      const mode = content === null ? null : modeOf(content.mode);
      return mode === undefined ? null : { kind: 'mode', subject, mode };
    }
    case 'DELETE_SUBJECT':
      return subject !== null && isPositive(content?.version)
        ? { kind: 'subject deleted', subject, version: content.version }
        : null;
    case 'NOOP':
      return isPositive(content?.lastId) ? { kind: 'last id', id: content.lastId } : null;
    default:
      return null;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function schemaOf(subject: string, version: number, fields: Fields): StoredSchema | null {
  const { id, schema, schemaType = 'AVRO', references, deleted = false } = fields;
  const type = (['AVRO', 'JSON', 'PROTOBUF'] as const).find((one) => one === schemaType);
  const list = referencesOf(references);
  if (typeof schema !== 'string' || !isPositive(id) || type === undefined || list === null) return null;
  return { subject, version, id, type, text: schema, references: list, deleted: deleted === true };
}

/** Null: they are none. */
export function referencesOf(value: unknown): readonly SchemaReference[] | null {
  if (value == null) return [];
  if (!Array.isArray(value)) return null;
  const references: SchemaReference[] = [];
  for (const one of value as readonly (Fields | null)[]) {
    if (typeof one !== 'object' || one === null) return null;
    const { name, subject, version } = one;
    if (typeof name !== 'string' || typeof subject !== 'string') return null;
    if (!isPositive(version) && version !== -1) return null;
    references.push({ name, subject, version });
  }
  return references;
}

const isPositive = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_ID;

function objectOf(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}
