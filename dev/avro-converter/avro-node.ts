/** Avro schemas as JSON has them, and the bytes of values. By design knows nothing of the converter under test. */

/** A schema's JSON: a name, a union, or an object. */
export type AvroNode = string | readonly AvroNode[] | AvroObject;
export interface AvroObject {
  readonly type: AvroNode;
  readonly [property: string]: unknown;
}
export interface AvroField {
  readonly name: string;
  readonly type: AvroNode;
  readonly [property: string]: unknown;
}

/** A union's value: which branch, and its value. */
export interface Branch {
  readonly branch: number;
  readonly value: unknown;
}

/** Named types, by their full names. */
export type Names = ReadonlyMap<string, AvroObject>;

const NAMED: ReadonlySet<unknown> = new Set(['record', 'enum', 'fixed', 'error']);

export function fullName(name: string, namespace: unknown, around: string): string {
  if (name.includes('.')) return name;
  const own = typeof namespace === 'string' ? namespace : around;
  return own === '' ? name : `${own}.${name}`;
}

/**
 * The bytes of a value: null, boolean, number or bigint, string, Buffer (bytes, fixed), a symbol's index (enum), array,
 * Map (map), array of the fields' values (record), `Branch` (union).
 */
export function encode(node: AvroNode, value: unknown, names = new Map<string, AvroObject>(), around = ''): Buffer {
  const parts: Buffer[] = [];
  register(node, names, around);
  write(node, value, parts, names, around);
  return Buffer.concat(parts);
}

function write(node: AvroNode, value: unknown, out: Buffer[], names: Map<string, AvroObject>, around: string): void {
  if (Array.isArray(node)) {
    const { branch, value: inner } = value as Branch;
    out.push(zigzag(branch));
    write((node as readonly AvroNode[])[branch] as AvroNode, inner, out, names, around);
    return;
  }
  if (typeof node === 'string') {
    if (primitive(node, value, out)) return;
    const found = names.get(fullName(node, undefined, around));
    if (found === undefined) throw new Error(`no type ${node}`);
    const named = fullName(node, undefined, around);
    write(found, value, out, names, named.includes('.') ? named.slice(0, named.lastIndexOf('.')) : '');
    return;
  }
  const object = node as AvroObject;
  const { type } = object;
  let inside = around;
  if (NAMED.has(type)) {
    const named = fullName(object.name as string, object.namespace, around);
    inside = named.includes('.') ? named.slice(0, named.lastIndexOf('.')) : '';
  }
  switch (type) {
    case 'record':
      (object.fields as AvroField[]).forEach((field, i) =>
        write(field.type, (value as unknown[])[i], out, names, inside),
      );
      return;
    case 'enum':
      out.push(zigzag(value as number));
      return;
    case 'fixed':
      out.push(value as Buffer);
      return;
    case 'array':
      blocks(value as unknown[], out, (item) => write(object.items as AvroNode, item, out, names, around));
      return;
    case 'map':
      blocks([...(value as Map<string, unknown>)], out, ([key, member]) => {
        primitive('string', key, out);
        write(object.values as AvroNode, member, out, names, around);
      });
      return;
    default:
      write(type, value, out, names, around);
  }
}

/** Registers a named type and those in it, as a parser meets them. */
export function register(node: AvroNode, names: Map<string, AvroObject>, around = ''): void {
  if (typeof node === 'string') return;
  if (Array.isArray(node)) return (node as AvroNode[]).forEach((branch) => register(branch, names, around));
  const object = node as AvroObject;
  if (!NAMED.has(object.type)) {
    for (const inner of [object.type, object.items, object.values])
      if (inner !== undefined) register(inner as AvroNode, names, around);
    return;
  }
  const named = fullName(object.name as string, object.namespace, around);
  names.set(named, object);
  const inside = named.includes('.') ? named.slice(0, named.lastIndexOf('.')) : '';
  for (const field of (object.fields ?? []) as AvroField[]) register(field.type, names, inside);
}

function primitive(type: string, value: unknown, out: Buffer[]): boolean {
  switch (type) {
    case 'null':
      return true;
    case 'boolean':
      out.push(Buffer.from([value === true ? 1 : 0]));
      return true;
    case 'int':
    case 'long':
      out.push(zigzag(value as number | bigint));
      return true;
    case 'float': {
      const bytes = Buffer.alloc(4);
      bytes.writeFloatLE(value as number);
      out.push(bytes);
      return true;
    }
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(value as number);
      out.push(bytes);
      return true;
    }
    case 'bytes':
    case 'string': {
      const bytes = Buffer.from(value as string);
      out.push(zigzag(bytes.length), bytes);
      return true;
    }
    default:
      return false;
  }
}

function blocks<T>(items: readonly T[], out: Buffer[], each: (item: T) => void): void {
  if (items.length > 0) out.push(zigzag(items.length));
  items.forEach(each);
  out.push(zigzag(0));
}

function zigzag(value: number | bigint): Buffer {
  const wide = BigInt(value);
  let rest = BigInt.asUintN(64, (wide << 1n) ^ (wide >> 63n));
  const bytes: number[] = [];
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
