/** The registry's state: what the records of its log add up to. */
import type { SchemaReference } from '../schema-format';
import { DEFAULT_LEVEL, DEFAULT_MODE, type Level, type Mode } from './levels';
import { decodeEntry, type LogEntry, type StoredSchema } from './log-records';

/** Schemas with the same content have the same id. */
export type Content = Pick<StoredSchema, 'type' | 'text' | 'references'>;

export class RegistryState {
  /** Versions in ascending order. */
  private readonly subjects = new Map<string, StoredSchema[]>();
  /** All versions of all subjects that have the id. */
  private readonly ids = new Map<number, Set<StoredSchema>>();
  private readonly idOfContent = new Map<string, number>();
  /** The versions that refer to a version. */
  private readonly referrers = new Map<string, Set<StoredSchema>>();
  private readonly levels = new Map<string | null, Level>();
  private readonly modes = new Map<string | null, Mode>();
  private last = 0;
  private characters = 0;
  private count = 0;

  /** False: the record is of another kind, or malformed. */
  read(key: string, value: string | null): boolean {
    const entry = decodeEntry(key, value);
    if (entry !== null) this.apply(entry);
    return entry !== null;
  }

  private apply(entry: LogEntry): void {
    switch (entry.kind) {
      case 'schema':
        return this.put(entry.schema);
      case 'no schema':
        return this.remove(entry.subject, entry.version);
      case 'level':
        return set(this.levels, entry.subject, entry.level);
      case 'mode':
        return set(this.modes, entry.subject, entry.mode);
      case 'subject deleted':
        for (const schema of this.versions(entry.subject))
          if (schema.version <= entry.version && !schema.deleted) this.put({ ...schema, deleted: true });
        return;
      case 'last id':
        this.last = Math.max(this.last, entry.id);
    }
  }

  private put(schema: StoredSchema): void {
    const { subject, version, id } = schema;
    this.forget(subject, version);
    const versions = this.subjects.get(subject) ?? [];
    this.subjects.set(subject, versions);
    const at = indexOf(versions, version);
    versions.splice(at, versions[at]?.version === version ? 1 : 0, schema);
    add(this.ids, id, schema);
    const content = contentKey(schema);
    if (!this.idOfContent.has(content)) this.idOfContent.set(content, id);
    for (const reference of schema.references) add(this.referrers, versionKey(reference), schema);
    this.last = Math.max(this.last, id);
    this.characters += schema.text.length;
    this.count++;
  }

  private remove(subject: string, version: number): void {
    this.forget(subject, version);
    const versions = this.subjects.get(subject) ?? [];
    const at = indexOf(versions, version);
    if (versions[at]?.version === version) versions.splice(at, 1);
    if (versions.length === 0) this.subjects.delete(subject);
  }

  private forget(subject: string, version: number): void {
    const schema = this.version(subject, version);
    if (schema === undefined) return;
    drop(this.ids, schema.id, schema);
    for (const reference of schema.references) drop(this.referrers, versionKey(reference), schema);
    const content = contentKey(schema);
    if (!this.ids.has(schema.id) && this.idOfContent.get(content) === schema.id) this.idOfContent.delete(content);
    this.characters -= schema.text.length;
    this.count--;
  }

  subjectNames(): readonly string[] {
    return [...this.subjects.keys()];
  }

  /** With those deleted softly, in ascending order. */
  versions(subject: string): readonly StoredSchema[] {
    return this.subjects.get(subject) ?? [];
  }

  version(subject: string, version: number): StoredSchema | undefined {
    const versions = this.versions(subject);
    const found = versions[indexOf(versions, version)];
    return found?.version === version ? found : undefined;
  }

  /** All versions with the id, with those deleted softly. */
  withId(id: number): readonly StoredSchema[] {
    return [...(this.ids.get(id) ?? [])];
  }

  idOf(content: Content): number | undefined {
    return this.idOfContent.get(contentKey(content));
  }

  referredBy(subject: string, version: number): readonly StoredSchema[] {
    return [...(this.referrers.get(versionKey({ subject, version })) ?? [])];
  }

  get lastId(): number {
    return this.last;
  }
  get totalVersions(): number {
    return this.count;
  }
  get totalCharacters(): number {
    return this.characters;
  }

  /** As it is set; undefined: it is not. */
  levelOf(subject: string | null): Level | undefined {
    return this.levels.get(subject);
  }
  modeOf(subject: string | null): Mode | undefined {
    return this.modes.get(subject);
  }

  effectiveLevel(subject: string): Level {
    return this.levels.get(subject) ?? this.levels.get(null) ?? DEFAULT_LEVEL;
  }
  effectiveMode(subject: string | null): Mode {
    const global = this.modes.get(null) ?? DEFAULT_MODE;
    return global === 'READONLY_OVERRIDE' ? global : (this.modes.get(subject) ?? global);
  }
}

export const contentKey = ({ type, text, references }: Content): string =>
  JSON.stringify([type, text, references.map(({ name, subject, version }) => [name, subject, version])]);

const versionKey = ({ subject, version }: Pick<SchemaReference, 'subject' | 'version'>): string =>
  `${version} ${subject}`;

/** Of the first version that is not before this one. */
function indexOf(versions: readonly StoredSchema[], version: number): number {
  let [low, high] = [0, versions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((versions[middle]?.version ?? 0) < version) low = middle + 1;
    else high = middle;
  }
  return low;
}

function set<K, V>(map: Map<K, V>, key: K, value: V | null): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}

function add<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, new Set([value]));
  else values.add(value);
}

function drop<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const values = map.get(key);
  values?.delete(value);
  if (values?.size === 0) map.delete(key);
}
