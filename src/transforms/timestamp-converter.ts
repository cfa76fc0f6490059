/**
 * `TimestampConverter`: a field, or the whole key or value, in another representation of time. Source: connect-runtime
 * §7.2.
 */
import {
  schemaBasics,
  type ConnectorConfig,
  type ConnectRecord,
  type ParsedValue,
  type Schema,
  type Transformation,
  setMember,
} from '@millrace/sdk';
import type { FrameworkKey } from '../config/framework-key';
import { parsePattern, patternFault } from './date-pattern';
import { configError } from './failures';
import { oneOf, REPLACE_NULL, Settings } from './settings';
import { copiedValue, isNull, memberOf, requireMap, requireStruct, withMember, type StructValue } from './shapes';
import type { Side } from './side';
import { fieldsOf, perSchema, structOf } from './struct-schemas';
import {
  fromInstant,
  KINDS,
  kindOfSchema,
  kindOfValue,
  PRECISIONS,
  schemaOfKind,
  toInstant,
  type Kind,
  type Precision,
  type TextFormat,
} from './timestamp-kinds';

export const TIMESTAMP_CONVERTER_CONFIG: readonly FrameworkKey[] = [
  {
    name: 'field',
    type: 'STRING',
    default: '',
    importance: 'HIGH',
    documentation: 'The top-level field that holds the time; none: the whole key or value is one.',
  },
  {
    name: 'target.type',
    type: 'STRING',
    importance: 'HIGH',
    documentation: 'What it becomes: string, unix (a number), Date, Time or Timestamp.',
    ...oneOf(...KINDS),
  },
  {
    name: 'format',
    type: 'STRING',
    default: '',
    importance: 'MEDIUM',
    documentation: 'How strings are written and read, in UTC: a pattern of java.text.SimpleDateFormat.',
    check: patternProblems,
  },
  {
    name: 'unix.precision',
    type: 'STRING',
    default: 'milliseconds',
    importance: 'LOW',
    documentation: 'Unit of numbers, read and written. Whatever is smaller than a millisecond is lost.',
    ...oneOf(...PRECISIONS),
  },
  REPLACE_NULL,
];

const PURPOSE = 'converting timestamp formats';

export class TimestampConverter implements Transformation {
  private field = '';
  private target: Kind = 'Timestamp';
  private format: TextFormat | null = null;
  private precision: Precision = 'milliseconds';
  private replaceNull = true;

  constructor(private readonly side: Side) {}

  configure(config: ConnectorConfig): void {
    const settings = new Settings(TIMESTAMP_CONVERTER_CONFIG, config);
    this.field = settings.text('field');
    this.target = settings.text('target.type') as Kind;
    this.precision = settings.text('unix.precision') as Precision;
    this.replaceNull = settings.flag('replace.null.with.default');
    const pattern = settings.text('format');
    this.format = pattern.trim() === '' ? null : { pattern, pieces: parsePattern(pattern) };
    if (this.target === 'string' && this.format === null) {
      throw configError('TimestampConverter requires format option to be specified when using string timestamps');
    }
  }

  apply<R extends ConnectRecord>(record: R): R {
    const schema = this.side.schemaOf(record);
    const value = this.side.valueOf(record);
    if (schema === null) return this.side.replaced(record, null, this.schemaless(value));
    if (this.field === '') return this.side.replaced(record, this.wholeSchema(schema), this.converted(schema, value));
    const struct = isNull(value) ? null : requireStruct(schema, value, PURPOSE);
    return this.side.replaced(record, this.structSchema(schema), struct && this.convertedStruct(schema, struct));
  }

  private schemaless(value: unknown): unknown {
    if (isNull(value) || this.field === '') return isNull(value) ? null : this.convert(kindOfValue(value), value);
    const map = requireMap(value, PURPOSE);
    const member = memberOf(map, this.field);
    return withMember(map, this.field, isNull(member) ? null : this.convert(kindOfValue(member), member));
  }

  private convert(from: Kind, value: unknown): unknown {
    return fromInstant(this.target, toInstant(from, value, this.format, this.precision), this.format, this.precision);
  }

  private converted(schema: Schema, value: unknown): unknown {
    const kind = kindOfSchema(schema);
    return isNull(value) ? null : this.convert(kind, value);
  }

  private convertedStruct(schema: Schema, struct: StructValue): StructValue {
    const updated: Record<string, unknown> = {};
    for (const field of fieldsOf(schema)) {
      const value = copiedValue(struct, field, this.replaceNull);
      setMember(updated, field.name, field.name === this.field ? this.converted(field.schema, value) : value);
    }
    return updated;
  }

  private readonly wholeSchema = perSchema((schema) => schemaOfKind(this.target, schema.optional));

  private readonly structSchema = perSchema((schema) =>
    structOf(
      fieldsOf(schema).map(({ name, schema: of }) => {
        return [name, name === this.field ? schemaOfKind(this.target, of.optional) : of];
      }),
      {
        ...schemaBasics(schema),
        optional: schema.optional,
        default: schema.default && this.convertedStruct(schema, schema.default as StructValue),
      },
    ),
  );
}

/** Java's message, which it gives only when the task starts. */
function patternProblems(pattern: ParsedValue): readonly string[] {
  const fault = patternFault(pattern);
  if (fault === null) return [];
  return [
    `Invalid value java.lang.IllegalArgumentException: ${fault} for configuration ` +
      `TimestampConverter requires a SimpleDateFormat-compatible pattern for string timestamps: ${String(pattern)}`,
  ];
}
