/** The JSON Schema format: Connect schemas and registered schemas, compiled once each. */
import { isUtf8 } from 'node:buffer';
import type { ConnectorConfig, ConnectValue, Schema, SchemaAndValue } from '@millrace/sdk';
import { DataError } from '@millrace/sdk';
import { exactNumber, longNumber, parseExact } from '@millrace/texts/json';
import { ByteOutput } from '../byte-output';
import type { SchemaFormat, ValueReader, ValueWriter } from '../format';
import type { RegisteredSchema, SchemaText } from '../registry/schema-registry';
import { JsonOutput } from './json-output';
import { jsonSchemaSettings, type JsonSchemaSettings } from './json-schema-config';
import { plainText, plainValue } from './plain-json';
import { SchemaDocuments } from './schema-documents';
import { Misfit, invalid, unreadable, unwritable } from './schema-error';
import { SchemaFit } from './schema-fit';
import { ANY_VALUE, jsonSchemaText } from './schema-text';
import type { Shape } from './shape';
import { ShapeBuilder } from './shape-builder';
import { DigitsLost, ValueDecoder } from './value-decoder';
import type * as Validating from './validator';
import { WriterCompiler, type Writer } from './value-writer';
import { misfitOf } from './writer-misfit';

/** A run of digits that a double may not hold. */
const LONG_NUMBER = /\d{16}/;
const NONE: readonly never[] = [];
const MOST_REFUSED = 1_000;
const NO_DEPENDENCIES: ReadonlyMap<string, string> = new Map();

/** Throws ConfigError. */
export function createJsonSchemaFormat(config: ConnectorConfig, _isKey: boolean): SchemaFormat {
  return new JsonSchemaFormat(jsonSchemaSettings(config));
}

class JsonSchemaFormat implements SchemaFormat {
  readonly type = 'JSON';
  private readonly out = new JsonOutput(new ByteOutput(0));
  private readonly compiler: WriterCompiler;
  private readonly decoder: ValueDecoder;
  /** Why schemas cannot be used, by their ids: many records may name one that takes long. */
  private readonly refused = new Map<number, unknown>();

  constructor(private readonly settings: JsonSchemaSettings) {
    this.compiler = new WriterCompiler(settings, this.out);
    this.decoder = new ValueDecoder(settings.ignoreDefaultForNullables);
  }

  writer(schema: Schema | null): ValueWriter {
    if (schema === null) return new PlainWriter(this.out, textOf(ANY_VALUE), null);
    const text = jsonSchemaText(schema, this.settings, (of, value) => this.compiler.text(of, value));
    const validator = this.validator({ text, dependencies: NO_DEPENDENCIES });
    return new SchemaWriter(this.out, this.compiler.writer(schema, null), textOf(text), validator);
  }

  writerOf(registered: RegisteredSchema, schema: Schema | null, isStrict: boolean): ValueWriter {
    const { text, references } = registered;
    const target: SchemaText = { type: 'JSON', text, references };
    const validator = this.validator(registered);
    if (schema === null) return new PlainWriter(this.out, target, validator);
    const shape = this.shape(registered);
    if (isStrict) expectFit(schema, shape, registered, this.settings);
    return new SchemaWriter(this.out, this.compiler.writer(schema, shape), target, validator);
  }

  reader(registered: RegisteredSchema): ValueReader {
    const { refused } = this;
    const known = refused.get(registered.id);
    if (known !== undefined) throw known;
    try {
      return new RegisteredReader(registered.id, this.shape(registered), this.decoder, this.validator(registered));
    } catch (error) {
      if (refused.size >= MOST_REFUSED) refused.delete(refused.keys().next().value as number);
      refused.set(registered.id, error);
      throw error;
    }
  }

  /** Null: values are not validated. */
  private validator(registered: Pick<RegisteredSchema, 'text' | 'dependencies'>): Validating.Validator | null {
    if (!this.settings.failInvalid) return null;
    // Ajv is loaded for those who want it.
    const { Validator: Loaded } = require('./validator') as typeof Validating; // eslint-disable-line @typescript-eslint/no-require-imports
    return new Loaded(registered);
  }

  private shape(registered: RegisteredSchema): Shape {
    const documents = new SchemaDocuments(registered);
    return new ShapeBuilder(documents, this.settings, (shape, tree) => this.decoder.decode(shape, tree)).root();
  }
}

function textOf(text: string): SchemaText {
  return { type: 'JSON', text, references: NONE };
}

function expectFit(schema: Schema, shape: Shape, { id }: RegisteredSchema, settings: JsonSchemaSettings): void {
  const problem = new SchemaFit(settings).problem(schema, shape);
  if (problem === null) return;
  const { path, reason } = problem;
  const where = path === '' ? 'the value' : `"${path}"`;
  throw new DataError(
    `JSON Schema ${id} cannot hold all values of the record's schema: for ${where} it ${reason}. ` +
      'Register a schema that can, or turn the strict check off.',
    { code: 'CONVERTER_MISMATCH', place: { schemaId: id, ...(path !== '' && { field: path }) } },
  );
}

class SchemaWriter implements ValueWriter {
  constructor(
    private readonly out: JsonOutput,
    private readonly writer: Writer,
    readonly schema: SchemaText,
    private readonly validator: Validating.Validator | null,
  ) {}

  get recordName(): string | null {
    return this.writer.schema.name;
  }

  write(value: ConnectValue, output: ByteOutput): boolean {
    const { out, writer, validator } = this;
    const start = output.length;
    out.target = output;
    if (value === null || value === undefined) {
      const { nullText, schema } = writer;
      if (schema.default === undefined && schema.optional) return false;
      if (nullText === null) throw unwritable(new Misfit('is null, but not optional'));
      // Null stays null with `ignore.default.for.nullables`.
      if (schema.optional && nullText.length === 4 && nullText.toString() === 'null') return false;
      out.raw(nullText);
      if (validator !== null) expectValid(validator, output, start);
      return true;
    }
    try {
      writer.write(value);
    } catch (error) {
      throw misfitOf(writer, value, out, error);
    }
    if (validator !== null) expectValid(validator, output, start);
    return true;
  }
}

class PlainWriter implements ValueWriter {
  readonly recordName = null;

  constructor(
    private readonly out: JsonOutput,
    readonly schema: SchemaText,
    private readonly validator: Validating.Validator | null,
  ) {}

  write(value: ConnectValue, output: ByteOutput): boolean {
    if (value === null || value === undefined) return false;
    const start = output.length;
    this.out.target = output;
    try {
      this.out.json(plainText(value));
    } catch (error) {
      throw error instanceof Misfit ? unwritable(error) : error;
    }
    if (this.validator !== null) expectValid(this.validator, output, start);
    return true;
  }
}

/** @param start where the value's JSON starts */
function expectValid(validator: Validating.Validator, { bytes, length }: ByteOutput, start: number): void {
  try {
    validator.check(bytes.toString('utf8', start, length));
  } catch (error) {
    throw error instanceof Misfit ? invalid(error) : error;
  }
}

class RegisteredReader implements ValueReader {
  private readonly isExact: boolean;

  constructor(
    private readonly id: number,
    private readonly shape: Shape,
    private readonly decoder: ValueDecoder,
    private readonly validator: Validating.Validator | null,
  ) {
    this.isExact = needsDigits(shape, new Set());
  }

  read(bytes: Uint8Array, at: number): SchemaAndValue {
    try {
      const text = utf8Text(Buffer.from(bytes.buffer, bytes.byteOffset + at, bytes.length - at));
      return this.value(text, this.isExact);
    } catch (error) {
      throw error instanceof Misfit ? unreadable(error, this.id) : error;
    }
  }

  private value(text: string, isExact: boolean): SchemaAndValue {
    const { shape } = this;
    const tree = treeOf(text, isExact);
    this.validator?.check(text);
    if (shape.form === 'any') return { schema: null, value: plainValue(tree) };
    try {
      return { schema: shape.schema, value: this.decoder.decode(shape, tree) };
    } catch (error) {
      if (error instanceof DigitsLost) return this.value(text, true);
      throw error;
    }
  }
}

function utf8Text(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (text.includes('\ufffd') && !isUtf8(bytes)) throw new Misfit('is not text in UTF-8');
  return text;
}

function treeOf(text: string, isExact: boolean): unknown {
  try {
    if (isExact || LONG_NUMBER.test(text)) return parseExact(text, isExact ? exactNumber : longNumber, true);
    return JSON.parse(text) as unknown;
  } catch {
    throw new Misfit(`is not JSON (${reasonOf(text)})`);
  }
}

/** Without a part of the text, which may be a secret and which JSON.parse quotes. */
function reasonOf(text: string): string {
  try {
    parseExact(text, exactNumber, true);
  } catch (error) {
    return (error as Error).message;
  }
  return 'a number starts with a zero';
}

/** Whether numbers are more than doubles somewhere. Elsewhere, it shows when one is read. */
function needsDigits(shape: Shape, seen: Set<Shape>): boolean {
  if (seen.has(shape)) return false;
  seen.add(shape);
  if ((shape.form === 'decimal' && !shape.isText) || shape.form === 'any') return true;
  const parts = [shape.keys, shape.values, ...shape.fields.map((field) => field.shape)];
  return parts.some((part) => part !== null && needsDigits(part, seen));
}
