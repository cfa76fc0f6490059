/** Avro schemas with every kind of type, name, default and attribute, and changed copies of them. Seeded. */

export type Random = (below: number) => number;

/** Numerical Recipes' generator: the same numbers on every machine. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Schema = string | readonly Schema[] | { readonly [member: string]: unknown };

const PRIMITIVES = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'] as const;
const SYMBOLS = ['A', 'B', 'C', 'D'];
const FIELDS = ['a', 'b', 'c', 'd', 'e'];
const NAMES = ['R', 'S', 'T', 'U', 'V'];
const SPACES = [undefined, 'n', 'n.m'];

export class SchemaGenerator {
  private names: string[] = [];
  private count = 0;

  constructor(private readonly random: Random) {}

  schema(): Schema {
    this.names = [];
    this.count = 0;
    return this.type(3, this.one([true, true, false]));
  }

  private one<T>(values: readonly T[]): T {
    return values[this.random(values.length)] as T;
  }
  private chance(percent: number): boolean {
    return this.random(100) < percent;
  }

  private type(depth: number, isRecord = false): Schema {
    if (depth > 0 && (isRecord || this.chance(25))) return this.record(depth);
    if (depth > 0 && this.chance(20)) return this.union(depth);
    if (depth > 0 && this.chance(15)) return this.attributed({ type: 'array', items: this.type(depth - 1) });
    if (depth > 0 && this.chance(15)) return this.attributed({ type: 'map', values: this.type(depth - 1) });
    if (this.chance(12)) return this.enumeration();
    if (this.chance(8)) return this.fixed();
    if (this.names.length > 0 && this.chance(15)) return this.one(this.names);
    if (this.chance(12)) return this.logical();
    return this.one(PRIMITIVES);
  }

  private logical(): Schema {
    return this.one<Schema>([
      { type: 'int', logicalType: 'date' },
      { type: 'long', logicalType: 'timestamp-millis' },
      { type: 'bytes', logicalType: 'decimal', precision: 4 + this.random(3), scale: this.random(3) },
      { type: 'string', logicalType: 'uuid' },
      { type: 'int', 'connect.type': 'int8' },
      { type: 'string', 'connect.version': 1, 'connect.name': 'x' },
    ]);
  }

  private attributed(schema: Record<string, unknown>): Schema {
    return this.chance(10)
      ? { ...schema, [this.one(['z', 'y', 'connect.doc'])]: this.one([1, 'x', [2.5], { q: null }]) }
      : schema;
  }

  /** The simple name is one of few, so that copies match; a number keeps it from being declared twice. */
  private name(): Record<string, unknown> {
    const simple = `${this.one(NAMES)}${this.count++}`;
    const namespace = this.one(SPACES);
    this.names.push(namespace === undefined ? simple : `${namespace}.${simple}`);
    return namespace === undefined
      ? { name: simple, namespace: '' }
      : this.chance(50)
        ? { name: `${namespace}.${simple}` }
        : { name: simple, namespace };
  }

  private more(): Record<string, unknown> {
    return {
      ...(this.chance(10) ? { doc: 'é\u001f/"\\' } : {}),
      ...(this.chance(10) ? { aliases: this.one([['Old'], ['x.Old', 'Old'], ['S0', 'T1']]) } : {}),
      ...(this.chance(8) ? { 'connect.name': 'c', p: { b: 1, a: [true] } } : {}),
    };
  }

  private enumeration(): Schema {
    const symbols = SYMBOLS.slice(0, 1 + this.random(4));
    return {
      type: 'enum',
      ...this.name(),
      symbols,
      ...this.more(),
      ...(this.chance(25) ? { default: this.one(symbols) } : {}),
    };
  }

  private fixed(): Schema {
    return { type: 'fixed', ...this.name(), size: 1 + this.random(3), ...this.more() };
  }

  private union(depth: number): Schema {
    const branches: Schema[] = [];
    const kinds = new Set<string>();
    for (let i = 1 + this.random(4); i > 0; i--) {
      const branch = this.type(depth - 1);
      const kind =
        typeof branch === 'string'
          ? branch
          : Array.isArray(branch)
            ? 'union'
            : String((branch as { type: unknown }).type);
      const isNamed = ['record', 'enum', 'fixed'].includes(kind);
      if (kind === 'union' || (!isNamed && kinds.has(kind))) continue;
      if (!isNamed && typeof branch === 'string' && !PRIMITIVES.includes(branch as 'int')) {
        if (kinds.size > 0) continue;
      }
      kinds.add(isNamed ? `${kind} ${kinds.size}` : kind);
      branches.push(branch);
    }
    return branches.length === 0 ? ['null', 'string'] : branches;
  }

  private record(depth: number): Schema {
    const head = this.name();
    const fields = FIELDS.slice(0, this.random(FIELDS.length + 1)).map((name) => this.field(name, depth - 1));
    return { type: 'record', ...head, ...this.more(), fields };
  }

  private field(name: string, depth: number): Schema {
    if (this.chance(30)) return { name, type: ['null', this.one(['int', 'string', 'long'])], default: null };
    const type = this.type(depth);
    return {
      name,
      type,
      ...(this.chance(40) ? this.default(type) : {}),
      ...(this.chance(8) ? { doc: 'd' } : {}),
      ...(this.chance(8) ? { order: this.one(['ignore', 'DESCENDING', 'ascending']) } : {}),
      ...(this.chance(15) ? { aliases: [this.one(FIELDS), 'old'] } : {}),
      ...(this.chance(8) ? { 'connect.index': 1.5 } : {}),
    };
  }

  private default(type: Schema): Record<string, unknown> {
    const kind = typeof type === 'string' ? type : Array.isArray(type) ? 'union' : (type as { type: string }).type;
    const values: Record<string, unknown> = {
      null: null,
      boolean: true,
      int: 1,
      long: 2,
      float: 1.5,
      double: -2,
      bytes: 'ÿ',
      string: 's',
      array: [],
      map: {},
    };
    if (kind === 'enum') return { default: (type as { symbols: string[] }).symbols[0] };
    if (kind === 'union') return this.default((type as readonly Schema[])[0] as Schema);
    return Object.hasOwn(values, kind) ? { default: values[kind] } : {};
  }

  /** Changes a few places. */
  changed(schema: Schema): Schema {
    const text = JSON.stringify(schema, (_, value: unknown) => (this.chance(8) ? this.replaced(value) : value));
    return JSON.parse(text) as Schema;
  }

  private replaced(value: unknown): unknown {
    if (typeof value === 'string') {
      if (PRIMITIVES.includes(value as 'int')) return this.one(PRIMITIVES);
      if (value === 'n' || value === 'n.m') return this.one(['n', 'n.m', 'o']);
      if (FIELDS.includes(value)) return this.one([...FIELDS, 'f', 'old']);
      return value;
    }
    if (typeof value === 'number') return this.one([1, 2, 3]);
    if (Array.isArray(value)) {
      if (value.length > 1 && this.chance(50)) return value.slice(0, -1);
      if (value.length > 1 && this.chance(30)) return [...value.slice(1), value[0]];
      const extra = value.every((one) => SYMBOLS.includes(one as string))
        ? 'E'
        : { name: 'g', type: 'int', ...(this.chance(50) ? { default: 0 } : {}) };
      const isFields = value.every(
        (one) => typeof one === 'object' && one !== null && 'name' in one && 'type' in one && !('fields' in one),
      );
      return typeof extra === 'string' || isFields ? [...value, extra] : value;
    }
    if (typeof value === 'object' && value !== null && 'default' in value && this.chance(60)) {
      const { default: _, ...rest } = value;
      return rest;
    }
    return value;
  }
}
