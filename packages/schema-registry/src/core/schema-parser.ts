/** Schemas of any format, with those that they refer to. Formats are loaded when a schema first needs them. */
import { MAX_DEPENDENCIES, MAX_DEPENDENCY_CHARACTERS, MAX_REFERENCES } from '../bounds';
import { InvalidSchema } from '../registry-error';
import type { ParsedSchema, SchemaFormat, SchemaReference, SchemaType } from '../schema-format';
import type { RegistryState } from './registry-state';

export type Formats = Readonly<Record<SchemaType, () => SchemaFormat>>;

/** What a request has, or a version. */
export interface SchemaSource {
  readonly type: SchemaType;
  readonly text: string;
  readonly references: readonly SchemaReference[];
}

/** Parsed versions that are kept for comparisons, by their characters. */
const MAX_KEPT_CHARACTERS = 16 * 1024 * 1024;

export class SchemaParser {
  /** By id; the least recently used first. */
  private readonly kept = new Map<number, { readonly text: string; readonly parsed: ParsedSchema }>();
  private keptCharacters = 0;

  constructor(
    private readonly state: RegistryState,
    private readonly formats: Formats,
  ) {}

  format(type: SchemaType): SchemaFormat {
    return this.formats[type]();
  }

  /** Throws InvalidSchema. */
  parse(source: SchemaSource, normalize: boolean): ParsedSchema {
    const dependencies = new Dependencies(this.state);
    dependencies.addAll(source.references);
    return this.format(source.type).parse(source.text, dependencies.texts, normalize);
  }

  /** A version. Throws InvalidSchema. */
  parseStored(source: SchemaSource & { readonly id: number }): ParsedSchema {
    const { id, text } = source;
    const known = this.kept.get(id);
    // An import may give the id of a deleted schema to another one.
    const parsed = known?.text === text ? known.parsed : this.parse(source, false);
    if (known !== undefined) this.forget(id, known.text);
    this.kept.set(id, { text, parsed });
    this.keptCharacters += text.length;
    for (const [oldest, kept] of this.kept) {
      if (this.keptCharacters <= MAX_KEPT_CHARACTERS) break;
      this.forget(oldest, kept.text);
    }
    return parsed;
  }

  private forget(id: number, text: string): void {
    this.kept.delete(id);
    this.keptCharacters -= text.length;
  }
}

class Dependencies {
  readonly texts = new Map<string, string>();
  private readonly seen = new Set<string>();
  private characters = 0;

  constructor(private readonly state: RegistryState) {}

  addAll(references: readonly SchemaReference[]): void {
    if (references.length > MAX_REFERENCES) throw new InvalidSchema(`it has more than ${MAX_REFERENCES} references`);
    for (const reference of references) this.add(reference);
  }

  /** Versions deleted softly can still be referred to. */
  private add({ name, subject, version }: SchemaReference): void {
    if (this.seen.has(name)) return;
    this.seen.add(name);
    if (this.seen.size > MAX_DEPENDENCIES)
      throw new InvalidSchema(`it refers to more than ${MAX_DEPENDENCIES} schemas`);
    const schema = this.state.version(subject, version);
    if (schema === undefined)
      throw new InvalidSchema(`No schema reference found for subject "${subject}" and version ${version}`);
    this.addAll(schema.references);
    this.characters += schema.text.length;
    if (this.characters > MAX_DEPENDENCY_CHARACTERS)
      throw new InvalidSchema(`it refers to schemas of more than ${MAX_DEPENDENCY_CHARACTERS} characters`);
    this.texts.set(name, schema.text);
  }
}
