/** Generated Avro schemas with values, to be read. */
import type { Seeded } from '../../test/helpers/seeded';
import { fullName, type AvroField, type AvroNode, type AvroObject } from './avro-node';
import type { ReadCase } from './cases';
import { bytes, double, fieldName, integer, schemaName, settings, text } from './words';

interface Made {
  readonly node: AvroNode;
  /** A value, encoded as avro-node.ts says. */
  readonly value: () => unknown;
  /** A default as JSON has it; undefined: there is none. */
  readonly fallback?: unknown;
  /** Which branch of a union it can be only once. */
  readonly branch: string;
}

const PRIMITIVES = ['boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'] as const;
const LOGICAL: readonly (readonly [string, string])[] = [
  ['int', 'date'],
  ['int', 'time-millis'],
  ['long', 'time-micros'],
  ['long', 'timestamp-millis'],
  ['long', 'timestamp-micros'],
  ['long', 'local-timestamp-millis'],
  ['long', 'local-timestamp-micros'],
  ['string', 'uuid'],
  ['int', 'unknown-type'],
];
const CONNECT_NAMES = [
  ['int', 'org.apache.kafka.connect.data.Date'],
  ['int', 'org.apache.kafka.connect.data.Time'],
  ['long', 'org.apache.kafka.connect.data.Timestamp'],
  ['long', 'io.debezium.time.MicroTimestamp'],
  ['string', 'io.debezium.data.Json'],
] as const;

/** There are no lone surrogates in UTF-8. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

class Generator {
  private named = new Map<string, Made>();
  private counter = 0;

  constructor(private readonly random: Seeded) {}

  any(depth: number, around: string): Made {
    const { random } = this;
    if (depth <= 0 || random.chance(0.45)) return this.leaf(around);
    switch (random.below(6)) {
      case 0:
        return this.array(depth, around);
      case 1:
        return this.map(depth, around);
      case 2:
        return this.union(depth, around);
      case 3:
        return this.named.size > 0 && random.chance(0.6) ? this.again(around) : this.record(depth, around);
      case 4:
        return this.optional(this.any(depth - 1, around));
      default:
        return this.record(depth, around);
    }
  }

  private leaf(around: string): Made {
    const { random } = this;
    const kind = random.next();
    if (kind < 0.12) return this.logical();
    if (kind < 0.18) return this.decimal(around);
    if (kind < 0.24) return this.enumeration(around);
    if (kind < 0.28) return this.fixed(around);
    if (kind < 0.36) return this.connectNamed();
    if (kind < 0.38) return { node: 'null', value: () => null, fallback: null, branch: 'null' };
    if (kind < 0.5 && this.named.size > 0) return this.again(around);
    if (kind < 0.65) return this.optional(this.leaf(around));
    return this.primitive();
  }

  private primitive(): Made {
    const { random } = this;
    const type = random.one(PRIMITIVES);
    const properties: Record<string, unknown> = {};
    if (random.chance(0.1)) properties['connect.doc'] = 'doc';
    if (random.chance(0.1)) properties['connect.version'] = 1 + random.below(4);
    if (random.chance(0.1)) properties['connect.parameters'] = { p: 'x' };
    if (random.chance(0.1) && type === 'int') properties['connect.type'] = random.one(['int8', 'int16']);
    if (random.chance(0.05)) properties.other = 'prop';
    const small = properties['connect.type'] === undefined ? 32 : 8;
    if (random.chance(0.1) && (type === 'int' || type === 'long')) properties['connect.default'] = 5;
    const plain = Object.keys(properties).length === 0;
    return {
      node: plain && random.chance(0.8) ? type : { type, ...properties },
      value: () => this.valueOf(type, small),
      fallback: { boolean: true, int: 7, long: -8, float: 1.5, double: 2.5, bytes: '\u0000ÿ', string: 'dflt' }[type],
      branch: type,
    };
  }

  private valueOf(type: string, intBits = 32): unknown {
    const { random } = this;
    switch (type) {
      case 'boolean':
        return random.chance(0.5);
      case 'int':
        return integer(random, intBits);
      case 'long':
        return integer(random, 64);
      case 'float':
        return Math.fround(double(random));
      case 'double':
        return double(random);
      case 'bytes':
        return bytes(random);
      default:
        return wellFormed(text(random));
    }
  }

  private logical(): Made {
    const { random } = this;
    const [type, logicalType] = random.one(LOGICAL);
    const value = (): unknown =>
      logicalType === 'uuid' ? 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' : random.below(86_400_000);
    return { node: { type, logicalType }, value, fallback: type === 'string' ? 'x' : 3, branch: type };
  }

  private connectNamed(): Made {
    const { random } = this;
    const [type, name] = random.one(CONNECT_NAMES);
    const more = random.chance(0.5) ? { 'connect.version': 1 } : {};
    const value = (): unknown => (type === 'string' ? '{}' : random.below(20_000));
    return {
      node: { type, 'connect.name': name, ...more },
      value,
      fallback: type === 'string' ? 'x' : 3,
      branch: type,
    };
  }

  private decimal(around: string): Made {
    const { random } = this;
    const scale = random.one([0, 2, 5]);
    const more = random.chance(0.3) ? {} : { scale };
    const precision = random.one([5, 10, 64]);
    const logical = { logicalType: 'decimal', precision, ...more };
    if (random.chance(0.3)) {
      const size = 8;
      const name = this.newName(around);
      return this.remember(name, {
        node: { type: 'fixed', name, size, ...logical },
        value: () => bytes(random, size),
        branch: name,
      });
    }
    const version = random.chance(0.5)
      ? {
          'connect.version': 1,
          'connect.parameters': { scale: String(scale) },
          'connect.name': 'org.apache.kafka.connect.data.Decimal',
        }
      : {};
    return {
      node: { type: 'bytes', ...logical, ...version },
      value: () => bytes(random, 1 + random.below(4)),
      fallback: '\u0001',
      branch: 'bytes',
    };
  }

  private enumeration(around: string): Made {
    const { random } = this;
    const name = this.newName(around);
    const symbols = random.one([['A'], ['RED', 'GREEN', 'BLUE']]);
    const more = {
      ...(random.chance(0.2) && { doc: 'enum doc' }),
      ...(random.chance(0.2) && { default: symbols[0] }),
      ...(random.chance(0.1) && { 'connect.name': 'other.Name' }),
    };
    return this.remember(name, {
      node: { type: 'enum', name, symbols, ...more },
      value: () => random.below(symbols.length),
      fallback: symbols.at(-1),
      branch: name,
    });
  }

  private fixed(around: string): Made {
    const { random } = this;
    const name = this.newName(around);
    const size = random.one([1, 4, 16]);
    return this.remember(name, {
      node: { type: 'fixed', name, size },
      value: () => bytes(random, size),
      fallback: 'x'.repeat(size),
      branch: name,
    });
  }

  private newName(around: string): string {
    const name = `${schemaName(this.random, 0)}_${this.counter++}`;
    return name.includes('.') || around === '' ? name : this.random.chance(0.5) ? `${around}.${name}` : name;
  }

  private remember(name: string, made: Made): Made {
    if (name.includes('.')) this.named.set(name, { ...made, node: name });
    return made;
  }

  private again(around: string): Made {
    const usable = [...this.named.values()];
    return usable.length === 0 ? this.leaf(around) : this.random.one(usable);
  }

  private array(depth: number, around: string): Made {
    const { random } = this;
    if (random.chance(0.15)) return this.entries(depth, around);
    const items = this.any(depth - 1, around);
    return {
      node: {
        type: 'array',
        items: items.node,
        ...(random.chance(0.1) && { 'connect.name': 'a.List', 'connect.version': 2 }),
      },
      value: () => Array.from({ length: random.below(3) }, items.value),
      fallback: [],
      branch: 'array',
    };
  }

  /** A map whose keys are no strings, as an array. */
  private entries(depth: number, around: string): Made {
    const { random } = this;
    const name = random.chance(0.7) ? 'io.confluent.connect.avro.MapEntry' : this.newName('com.example');
    if (this.named.has(name)) return this.again(around);
    const keys = this.primitive();
    const values = this.any(depth - 1, name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : around);
    const fields = [
      { name: 'key', type: keys.node },
      { name: 'value', type: values.node },
    ];
    const more = random.chance(0.3) ? { 'connect.internal.type': 'MapEntry' } : {};
    if (name.includes('.'))
      this.named.set(name, { node: name, value: () => [keys.value(), values.value()], branch: name });
    return {
      node: { type: 'array', items: { type: 'record', name, fields, ...more } },
      value: () => Array.from({ length: random.below(3) }, () => [keys.value(), values.value()]),
      fallback: [],
      branch: 'array',
    };
  }

  private map(depth: number, around: string): Made {
    const { random } = this;
    const values = this.any(depth - 1, around);
    const value = (): unknown =>
      new Map(Array.from({ length: random.below(2) }, () => [wellFormed(text(random)), values.value()]));
    return { node: { type: 'map', values: values.node }, value, fallback: {}, branch: 'map' };
  }

  private optional(inner: Made): Made {
    const { random } = this;
    if (inner.branch === 'null' || inner.branch === 'union') return inner;
    const isFirst = random.chance(0.7);
    return {
      node: isFirst ? ['null', inner.node] : [inner.node, 'null'],
      value: () =>
        random.chance(0.4)
          ? { branch: isFirst ? 0 : 1, value: null }
          : { branch: isFirst ? 1 : 0, value: inner.value() },
      fallback: isFirst ? null : inner.fallback,
      branch: 'union',
    };
  }

  private union(depth: number, around: string): Made {
    const { random } = this;
    const branches = new Map<string, Made>();
    const size = 1 + random.below(4);
    for (let i = 0; i < size; i++) {
      const before = new Map(this.named);
      const made = this.any(depth - 1, around);
      if (made.branch !== 'union' && !branches.has(made.branch)) branches.set(made.branch, made);
      else this.named = before;
    }
    if (random.chance(0.3) && !branches.has('null'))
      branches.set('null', { node: 'null', value: () => null, fallback: null, branch: 'null' });
    const list = [...branches.values()];
    if (list.length === 0) return this.leaf(around);
    return {
      node: list.map(({ node }) => node),
      value: () => {
        const branch = random.below(list.length);
        return { branch, value: (list[branch] as Made).value() };
      },
      fallback: (list[0] as Made).fallback,
      branch: 'union',
    };
  }

  record(depth: number, around: string): Made {
    const { random } = this;
    const name = this.newName(around);
    const inside = name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : around;
    const fields = new Map<string, { readonly field: AvroField; readonly made: Made }>();
    const self: Made = { node: fullName(name, undefined, around), value: () => null, branch: name };
    const size = random.chance(0.05) ? 0 : 1 + random.below(4);
    for (let i = 0; i < size; i++) {
      // Others are invalid.
      const own = fieldName(random, 0);
      if (fields.has(own)) continue;
      const made = random.chance(0.08) && name.includes('.') ? this.recursive(self) : this.any(depth - 1, inside);
      const more = {
        ...(random.chance(0.15) && { doc: 'field doc' }),
        ...(made.fallback !== undefined && random.chance(0.3) && { default: made.fallback }),
        ...(random.chance(0.05) && { aliases: ['old'] }),
        ...(random.chance(0.05) && { order: 'ignore' }),
        ...(random.chance(0.05) && { custom: 'prop' }),
      };
      fields.set(own, { field: { name: own, type: made.node, ...more }, made });
    }
    const more = {
      ...(random.chance(0.2) && { doc: 'record doc' }),
      ...(random.chance(0.1) && { 'connect.name': name.includes('.') ? name : 'other.Name' }),
      ...(random.chance(0.1) && { 'connect.version': 1 + random.below(3) }),
      ...(random.chance(0.1) && { 'connect.doc': 'connect doc' }),
      ...(random.chance(0.1) && { 'connect.parameters': { a: 'b' } }),
      ...(random.chance(0.05) && { aliases: ['old.Name'] }),
    };
    const list = [...fields.values()];
    const node: AvroObject = { type: 'record', name, fields: list.map(({ field }) => field), ...more };
    return this.remember(name, { node, value: () => list.map(({ made }) => made.value()), branch: name });
  }

  /** The record itself, within it: never there in values. */
  private recursive({ node }: Made): Made {
    const { random } = this;
    if (random.chance(0.5))
      return { node: ['null', node], value: () => ({ branch: 0, value: null }), fallback: null, branch: 'union' };
    return { node: { type: 'array', items: node }, value: () => [], fallback: [], branch: 'array' };
  }
}

export function avroCase(random: Seeded): ReadCase {
  const generator = new Generator(random);
  const made = random.chance(0.85) ? generator.record(1 + random.below(3), '') : generator.any(2, '');
  return { kind: 'read', settings: settings(random), isKey: random.chance(0.2), avro: made.node, value: made.value() };
}
