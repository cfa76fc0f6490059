import type { Schema } from '@millrace/sdk';

/** The first of equal schemas, so that a new object for each record is no new schema. Not for recursive ones. */
export class EqualSchemas {
  private readonly known = new Map<Schema, number>();
  private readonly first = new Map<string, Schema>();

  /** Schema objects that it keeps. */
  get size(): number {
    return this.known.size;
  }

  of(schema: Schema): Schema {
    this.number(schema);
    return this.first.get(this.key(schema)) ?? schema;
  }

  clear(): void {
    this.known.clear();
    this.first.clear();
  }

  /** Equal for equal schemas. */
  private number(schema: Schema): number {
    const known = this.known.get(schema);
    if (known !== undefined) return known;
    const key = this.key(schema);
    const equal = this.first.get(key);
    if (equal === undefined) this.first.set(key, schema);
    const number = equal === undefined ? this.first.size : (this.known.get(equal) ?? this.first.size);
    this.known.set(schema, number);
    return number;
  }

  private key(schema: Schema): string {
    const { type, optional, name, version, doc, parameters, fields, keySchema, valueSchema } = schema;
    return JSON.stringify([
      type,
      optional,
      name,
      version,
      doc,
      parameters === null ? null : Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1)),
      fields?.map((field) => [field.name, this.number(field.schema)]) ?? null,
      keySchema === null ? null : this.number(keySchema),
      valueSchema === null ? null : this.number(valueSchema),
      this.defaultKey(schema),
    ]);
  }

  private defaultKey({ default: value }: Schema): unknown {
    if (value === undefined || value === null) return 'none';
    switch (typeof value) {
      case 'number':
        // JSON has neither -0 nor NaN.
        return ['number', Object.is(value, -0) ? '-0' : String(value)];
      case 'string':
      case 'boolean':
      case 'bigint':
        return [typeof value, String(value)];
      default:
        return ['object', this.objectNumber(value)];
    }
  }

  /** Other defaults are equal only if they are the same object. */
  private readonly objects = new WeakMap<object, number>();
  private lastObject = 0;

  private objectNumber(value: object): number {
    let number = this.objects.get(value);
    if (number === undefined) this.objects.set(value, (number = ++this.lastObject));
    return number;
  }
}
