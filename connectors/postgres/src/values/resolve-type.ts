/** Maps PostgreSQL types to Connect schemas and decoders (cdc-postgres §3). */
import { schema } from '@millrace/sdk';
import { arrayType, vectorType } from './arrays';
import { GEOMETRIC_TYPES } from './geometric';
import { POSTGIS_TYPES } from './postgis';
import { VECTOR_TYPES } from './vectors';
import { bitType, byteaType, stringType, unknownType } from './bytes';
import {
  decodeBool,
  decodeFloat,
  decodeInt,
  decodeInt8,
  moneyType,
  numericType,
  plainInteger,
  plainNumber,
} from './numbers';
import { Plain, rawCell, rawText, type RawCell } from './plain-text';
import { sourceType, type SourceType } from './source-type';
import { hstoreType, pointType } from './structured';
import { dateType, intervalType, timeType, timestampType, timestamptzType, timetzType } from './temporal';
import { textLike, utf8, type PgType, type TextDecoder, type ValueOptions, type ValueType } from './value-type';

type Maker = (typmod: number, options: ValueOptions) => ValueType;

const text: Maker = (_, options) => stringType(options);
/** Strings whose column default Debezium does not put into the schema (Appendix R.14). */
const withoutDefault: Maker = (_, options) => stringType(options, undefined, undefined, null);
/** Of documents, among which is no zero value: a default that is computed has none to stand for it. */
const documentType =
  (name: string): Maker =>
  (_, options) => ({ ...stringType(options, name), computedDefault: null });
const namedWithoutDefault =
  (name: string): Maker =>
  (_, options) =>
    stringType(options, name, undefined, null);

const UUID: Maker = (_, options) => ({
  ...stringType(options, 'io.debezium.data.Uuid'),
  unavailable: null,
  // Debezium's (Appendix R.19), although it is not a UUID.
  fallback: '',
  computedDefault: '00000000-0000-0000-0000-000000000000',
});

/** By type name, because extensions get other oids in every database. */
const MAKERS: Readonly<Record<string, Maker>> = {
  bool: () => ({
    schema: schema('BOOLEAN'),
    decode: decodeBool,
    unavailable: null,
    fallback: false,
    defaultText: textLike(/^(?:true|false)$/),
    raw: rawCell({ form: 'boolean', decode: decodeBool }, Plain.Boolean),
  }),
  int2: () => plainInteger('INT16', decodeInt),
  int4: () => plainInteger('INT32', decodeInt),
  int8: () => plainInteger('INT64', decodeInt8),
  oid: () => ({ ...plainInteger('INT64', decodeInt, 4294967295), defaultText: null }),
  float4: () => plainNumber('FLOAT32', decodeFloat),
  float8: () => plainNumber('FLOAT64', decodeFloat),
  numeric: numericType,
  money: (_, options) => moneyType(options),
  char: withoutDefault,
  bpchar: text,
  varchar: text,
  text,
  name: withoutDefault,
  citext: withoutDefault,
  ean13: withoutDefault,
  isbn: withoutDefault,
  isbn13: withoutDefault,
  ismn: withoutDefault,
  ismn13: withoutDefault,
  issn: withoutDefault,
  issn13: withoutDefault,
  upc: withoutDefault,
  bit: bitType,
  varbit: bitType,
  bytea: (_, options) => byteaType(options),
  date: (_, options) => dateType(options.time),
  time: (typmod, options) => timeType(typmod, options.time),
  timetz: () => timetzType(),
  timestamp: (typmod, options) => timestampType(typmod, options.time),
  timestamptz: (typmod) => timestamptzType(typmod),
  interval: (_, options) => intervalType(options.interval),
  uuid: UUID,
  json: documentType('io.debezium.data.Json'),
  jsonb: documentType('io.debezium.data.Json'),
  xml: documentType('io.debezium.data.Xml'),
  ltree: namedWithoutDefault('io.debezium.data.Ltree'),
  tsvector: namedWithoutDefault('io.debezium.data.Tsvector'),
  int2vector: () => vectorType(plainNumber('INT16', decodeInt)),
  oidvector: () => vectorType(plainNumber('INT64', decodeInt)),
  inet: withoutDefault,
  cidr: withoutDefault,
  macaddr: withoutDefault,
  macaddr8: withoutDefault,
  int4range: withoutDefault,
  int8range: withoutDefault,
  numrange: withoutDefault,
  tsrange: withoutDefault,
  tstzrange: withoutDefault,
  daterange: withoutDefault,
  hstore: (_, options) => hstoreType(options),
  point: () => pointType(),
  ...GEOMETRIC_TYPES,
  ...POSTGIS_TYPES,
  ...VECTOR_TYPES,
};

/** Names of the types that the connector supports, without enums, domains and arrays. */
export const SUPPORTED_TYPES: readonly string[] = Object.keys(MAKERS);

/** Arrays of these are never emitted (§3.4). */
const NO_ARRAY = new Set(['money', 'name', 'interval', 'varbit', 'xml', 'point']);

/** Debezium's arrays of these have items that are not optional; those of other types have optional ones. */
const REQUIRED_ITEMS = new Set(['isbn', 'tsvector', 'vector', 'halfvec', 'sparsevec']);

interface EnumLabel {
  readonly enumOid: number;
  readonly label: string;
}

/**
 * Enum labels that schemas do not list. A decoder checks `unlisted` after each row and reads the catalog again if it is
 * set.
 */
export interface EnumLabels {
  unlisted: EnumLabel | null;
  /**
   * By enum oid: labels that the catalog does not list either (renamed since). Types resolved later emit them
   * unchanged.
   */
  readonly accepted: Map<number, Set<string>>;
}

/** Compares few labels in place; a set of many is faster. */
function isOneOf(labels: ReadonlySet<string>): RawCell['accepts'] {
  if (labels.size > 32) return (bytes, start, end) => labels.has(utf8(bytes, start, end));
  const texts = [...labels].map((label) => Buffer.from(label));
  return (bytes, start, end) => {
    for (const text of texts) {
      if (text.length !== end - start) continue;
      let at = 0;
      while (at < text.length && text[at] === bytes[start + at]) at++;
      if (at === text.length) return true;
    }
    return false;
  };
}

export class TypeResolver {
  constructor(
    private readonly types: ReadonlyMap<number, PgType>,
    private readonly options: ValueOptions,
    private readonly enumLabels: EnumLabels,
  ) {}

  /** Null: the column is omitted from events. */
  resolve(oid: number, typmod: number): ValueType | null {
    const known = this.supported(oid, typmod);
    if (known !== null) return known;
    return this.options.includeUnknown ? this.unknown(oid) : null;
  }

  /** Debezium omits arrays of types that it knows, but has no arrays of; here their text is published. */
  private unknown(oid: number): ValueType {
    const type = unknownType(this.options);
    const array = this.types.get(oid);
    const element = array?.isArray ? this.types.get(array.of) : undefined;
    if (element === undefined || element.isArray || NO_ARRAY.has(element.name)) return type;
    return arrayType(type, 'unknown', this.options, true);
  }

  /** How the catalog declares the type of a column. */
  declared(oid: number, typmod: number): SourceType | null {
    return sourceType(this.types, oid, typmod);
  }

  private supported(oid: number, typmod: number): ValueType | null {
    const type = this.types.get(oid);
    if (type === undefined) return null;
    if (type.kind === 'd') {
      const base = this.supported(type.of, type.typmod);
      // Appendix R.14: a domain column has no default in its schema.
      return base === null ? null : { ...base, defaultText: null };
    }
    if (type.kind === 'e') return this.enumType(type);
    if (type.kind !== 'b' && type.kind !== 'r') return null;
    // Before arrays, because the catalog describes vectors as arrays.
    if (Object.hasOwn(MAKERS, type.name)) return (MAKERS[type.name] as Maker)(typmod, this.options);
    return type.isArray ? this.array(type, typmod) : null;
  }

  private array(type: PgType, typmod: number): ValueType | null {
    const element = this.types.get(type.of);
    if (element === undefined || element.isArray || NO_ARRAY.has(element.name)) return null;
    const isEnum = this.underDomains(element)?.kind === 'e';
    if (element.kind === 'd' && !isEnum) return null;
    const item = this.supported(element.oid, typmod);
    if (item === null) return null;
    return arrayType(item, element.name, this.options, isEnum || REQUIRED_ITEMS.has(element.name));
  }

  private underDomains(type: PgType): PgType | undefined {
    let base: PgType | undefined = type;
    while (base?.kind === 'd') base = this.types.get(base.of);
    return base;
  }

  private enumType(type: PgType): ValueType {
    const { enumLabels } = this;
    const enumOid = type.oid;
    const labels = new Set([...type.labels, ...(enumLabels.accepted.get(enumOid) ?? [])]);
    const base = stringType(this.options, 'io.debezium.data.Enum', { allowed: type.labels.join(',') });
    const decode: TextDecoder = (b, s, e) => {
      const label = utf8(b, s, e);
      if (!labels.has(label)) enumLabels.unlisted = { enumOid, label };
      return label;
    };
    return {
      ...base,
      unavailable: null,
      // No text stands for one of the labels.
      computedDefault: null,
      decode,
      raw: rawText(decode, Plain.Special, isOneOf(labels)),
    };
  }
}
