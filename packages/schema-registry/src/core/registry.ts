/** The registry: what requests do to its state, apart from HTTP. Changes run one after another. */
import {
  MAX_COMPARING_MS,
  MAX_ID,
  MAX_SEARCHED_VERSIONS,
  MAX_SUBJECT_LENGTH,
  MAX_TOTAL_CHARACTERS,
  MAX_VERSIONS,
  MAX_VERSIONS_OF_SUBJECT,
} from '../bounds';
import { errors, incompatible, InvalidSchema, invalidSchema, notPermitted, storeFailed } from '../registry-error';
import type { ParsedSchema, SchemaReference } from '../schema-format';
import { incompatibilities } from './check-compatibility';
import { Deletions } from './deletions';
import type { RegistryLog } from './log';
import { encodeEntry, type LogEntry, type StoredSchema } from './log-records';
import { type Content, contentKey, RegistryState } from './registry-state';
import { type Formats, SchemaParser, type SchemaSource } from './schema-parser';
import { Settings } from './settings';
import { type Clock, TimeBudget } from './time-budget';

export interface RegisterRequest extends SchemaSource {
  readonly normalize: boolean;
  /** In mode IMPORT; null: the registry chooses. */
  readonly id: number | null;
  readonly version: number | null;
}

export type VersionName = number | 'latest';

export class Registry {
  readonly state = new RegistryState();
  readonly settings: Settings;
  readonly deletions: Deletions;
  private readonly parser: SchemaParser;
  /** Ids up to this one have been given, though their records may not have been stored. */
  private givenId = 0;
  private changes: Promise<unknown> = Promise.resolve();

  /** @param report gets a line about each record that is ignored */
  constructor(
    private readonly log: RegistryLog,
    formats: Formats,
    private readonly report: (line: string) => void = () => undefined,
    private readonly clock: Clock = () => performance.now(),
  ) {
    this.parser = new SchemaParser(this.state, formats);
    const change = async <T>(work: () => Promise<T>): Promise<T> => await this.change(work);
    const write = async (entry: LogEntry): Promise<void> => await this.write(entry);
    this.settings = new Settings(this.state, change, write);
    this.deletions = new Deletions(this.state, change, write);
  }

  /** Reads the log. */
  async start(): Promise<void> {
    await this.log.start((key, value) => {
      if (!this.state.read(key, value)) this.report(`Ignored a record of the log with key ${key.slice(0, 200)}`);
    });
  }

  /** Waits for changes that have begun, and closes the log. */
  async close(): Promise<void> {
    await this.changes;
    await this.log.close();
  }

  /** The version of the subject with this schema, which is a new one if there is none. */
  async register(subject: string, request: RegisterRequest): Promise<StoredSchema> {
    checkSubject(subject);
    return await this.change(async () => {
      const found = this.find(subject, request, false);
      if (found.version && (request.id === null || request.id === found.version.id)) return found.version;
      this.checkMode(subject, request.id !== null);
      const versions = this.state.versions(subject);
      const isImport = request.id !== null;
      if (!isImport) this.checkCompatibility(subject, found);
      const content = found.content;
      const newest = versions.at(-1)?.version ?? 0;
      const schema: StoredSchema = {
        ...content,
        subject,
        version: isImport ? (request.version ?? newest + 1) : newest + 1,
        id: request.id ?? this.state.idOf(content) ?? this.nextId(),
        deleted: false,
      };
      this.checkBounds(subject, schema);
      if (isImport) this.checkImport(schema);
      await this.write({ kind: 'schema', schema });
      return schema;
    });
  }

  /** The newest version with this schema. Throws 40401 or 40403. */
  lookUp(subject: string, source: SchemaSource, normalize: boolean, deleted: boolean): StoredSchema {
    checkSubject(subject);
    if (!this.state.versions(subject).some((version) => deleted || !version.deleted))
      throw errors.subjectMissing(subject);
    const { version } = this.find(subject, { ...source, normalize }, deleted);
    if (version === undefined) throw errors.schemaMissing();
    return version;
  }

  /** What keeps the schema from being registered; empty: nothing. `against` null: all versions that the level names. */
  test(subject: string, source: SchemaSource, against: VersionName | null, normalize: boolean): readonly string[] {
    checkSubject(subject);
    const content = this.content(source, normalize);
    const level = this.state.effectiveLevel(subject);
    let versions = this.state.versions(subject).filter((version) => !version.deleted);
    if (against === 'latest') versions = versions.slice(-1);
    else if (against !== null) versions = [this.version(subject, against, false)];
    return orInvalid(source, () =>
      incompatibilities({ source, parsed: content.parsed }, versions, level, this.parser, this.budget()),
    );
  }

  /** Throws 40401 or 40402. */
  version(subject: string, name: VersionName, deleted: boolean): StoredSchema {
    const versions = this.state.versions(subject).filter((version) => deleted || !version.deleted);
    if (versions.length === 0) throw errors.subjectMissing(subject);
    const found = name === 'latest' ? versions.at(-1) : versions.find((version) => version.version === name);
    if (found === undefined) throw errors.versionMissing(Number(name));
    return found;
  }

  private find(
    subject: string,
    { normalize, ...source }: SchemaSource & { readonly normalize: boolean },
    deleted: boolean,
  ) {
    const { parsed, ...content } = this.content(source, normalize);
    const versions = this.state.versions(subject).filter((one) => deleted || !one.deleted);
    const version =
      versions.findLast((one) => hasContent(one, content)) ?? this.withMeaning(versions, { ...content, parsed });
    return { source, parsed, content, version };
  }

  /** The newest version that differs from a schema that is no text in its text alone. */
  private withMeaning(
    versions: readonly StoredSchema[],
    content: Content & { readonly parsed: ParsedSchema },
  ): StoredSchema | undefined {
    if (content.parsed.isSerialized !== true) return undefined;
    const budget = this.budget();
    const meaning = serializedOrNull(() => content.parsed);
    if (meaning === null) return undefined;
    return versions.slice(-MAX_SEARCHED_VERSIONS).findLast((one) => {
      const isCandidate = !budget.isSpent && contentKey({ ...one, text: '' }) === contentKey({ ...content, text: '' });
      return isCandidate && serializedOrNull(() => this.parser.parseStored(one)) === meaning;
    });
  }

  private budget(): TimeBudget {
    return new TimeBudget(MAX_COMPARING_MS, this.clock);
  }

  /** What a schema is, in the form that the request names: only Protobuf has one other than the text. */
  textOf(schema: StoredSchema, format: string | null): string {
    if (format !== 'serialized' || schema.type !== 'PROTOBUF') return schema.text;
    return orInvalid(schema, () => this.parser.parseStored(schema).serialized?.() ?? schema.text);
  }

  private content(source: SchemaSource, normalize: boolean): SchemaSource & { readonly parsed: ParsedSchema } {
    const resolved = { ...source, references: source.references.map((reference) => this.numbered(reference)) };
    const parsed = orInvalid(source, () => this.parser.parse(resolved, normalize));
    const { type, references } = resolved;
    return { type, text: parsed.text, references, parsed };
  }

  /** Version -1 is the latest one. */
  private numbered(reference: SchemaReference): SchemaReference {
    if (reference.version !== -1) return reference;
    const version = this.state.versions(reference.subject).findLast((one) => !one.deleted)?.version;
    return version === undefined ? reference : { ...reference, version };
  }

  private checkCompatibility(
    subject: string,
    { source, parsed }: { source: SchemaSource; parsed: ParsedSchema },
  ): void {
    const versions = this.state.versions(subject).filter((version) => !version.deleted);
    const level = this.state.effectiveLevel(subject);
    const found = orInvalid(source, () =>
      incompatibilities({ source, parsed }, versions, level, this.parser, this.budget()),
    );
    if (found.length === 0) return;
    throw incompatible(
      `Schema being registered is incompatible with an earlier schema for subject "${subject}", details: [${found.join(', ')}]`,
    );
  }

  private checkMode(subject: string, isImport: boolean): void {
    const mode = this.state.effectiveMode(subject);
    if (mode === 'READONLY' || mode === 'READONLY_OVERRIDE')
      throw notPermitted(`Subject ${subject} is in read-only mode`);
    if (isImport && mode !== 'IMPORT') throw notPermitted(`Subject ${subject} is not in import mode`);
    if (!isImport && mode !== 'READWRITE') throw notPermitted(`Subject ${subject} is not in read-write mode`);
  }

  private checkImport(schema: StoredSchema): void {
    const [other] = this.state.withId(schema.id);
    const existing = this.state.version(schema.subject, schema.version);
    if (other && !hasContent(other, schema))
      throw notPermitted(`Overwrite new schema with id ${schema.id} is not permitted.`);
    if (existing && !existing.deleted && existing.id !== schema.id)
      throw notPermitted(`Subject ${schema.subject} has version ${schema.version} with another schema.`);
    this.givenId = Math.max(this.givenId, schema.id);
  }

  private checkBounds(subject: string, { text, id }: StoredSchema): void {
    const { state } = this;
    const isFull =
      state.versions(subject).length >= MAX_VERSIONS_OF_SUBJECT ||
      state.totalVersions >= MAX_VERSIONS ||
      state.totalCharacters + text.length > MAX_TOTAL_CHARACTERS ||
      id > MAX_ID;
    if (isFull)
      throw invalidSchema(
        `The registry is full: it keeps ${MAX_VERSIONS} versions, ${MAX_VERSIONS_OF_SUBJECT} of a subject, and ${MAX_TOTAL_CHARACTERS} characters of schemas.`,
      );
  }

  /** An id whose record could not be stored is not given again: it may have been. */
  private nextId(): number {
    return (this.givenId = Math.max(this.givenId, this.state.lastId) + 1);
  }

  private async change<T>(work: () => Promise<T>): Promise<T> {
    const result = this.changes.then(work);
    this.changes = result.catch(() => undefined);
    return await result;
  }

  private async write(entry: LogEntry): Promise<void> {
    try {
      await this.log.append(...encodeEntry(entry));
    } catch (error) {
      throw storeFailed(`Error in the backend data store: ${(error as Error).message}`);
    }
  }
}

function serializedOrNull(schema: () => ParsedSchema): string | null {
  try {
    return schema().serialized?.() ?? null;
  } catch (error) {
    if (!(error instanceof InvalidSchema)) throw error;
    return null;
  }
}

function hasContent(version: StoredSchema, content: Content): boolean {
  return version.type === content.type && version.text === content.text && contentKey(version) === contentKey(content);
}

function checkSubject(subject: string): void {
  const isValid = subject !== '' && subject.length <= MAX_SUBJECT_LENGTH && !/\p{Cc}/u.test(subject);
  if (!isValid) throw errors.invalidSubject(subject.slice(0, MAX_SUBJECT_LENGTH));
}

function orInvalid<T>({ type }: SchemaSource, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof InvalidSchema)) throw error;
    throw invalidSchema(`Invalid schema of type ${type}, details: ${error.message}`);
  }
}
