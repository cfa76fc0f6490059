/** JSON Schema texts and what their `$ref`s point to, in the text itself or in the texts of references. */
import { isArray, isObject, type JsonObject, type JsonValue } from '../json/json-value';

export class SchemaDocument {
  /** By `$id`, `id`, `$anchor` and `#name`, as they are written. */
  private readonly named: ReadonlyMap<string, JsonValue>;

  /** @param others the documents of references, by their names */
  constructor(
    readonly root: JsonValue,
    private readonly others: ReadonlyMap<string, SchemaDocument>,
  ) {
    this.named = namesIn(root);
  }

  /** Undefined: nothing has that name. Null: it is outside of what the registry knows. */
  find(reference: string): SchemaNode | undefined | null {
    const [base = '', fragment = ''] = splitOnce(reference);
    if (base === '') return this.inside(fragment);
    const other = this.others.get(reference) ?? this.others.get(base);
    if (other !== undefined) return this.others.has(reference) ? nodeOf(other, other.root) : other.inside(fragment);
    const named = this.named.get(reference) ?? this.named.get(base);
    if (named === undefined) return null;
    if (fragment === '' || this.named.has(reference)) return nodeOf(this, named);
    const found = fragment.startsWith('/') ? pointed(named, fragment) : this.named.get(`#${fragment}`);
    return found === undefined ? undefined : nodeOf(this, found);
  }

  private inside(fragment: string): SchemaNode | undefined {
    if (fragment === '') return nodeOf(this, this.root);
    const found = fragment.startsWith('/') ? pointed(this.root, fragment) : this.named.get(`#${fragment}`);
    return found === undefined ? undefined : nodeOf(this, found);
  }
}

/** A schema in a document, which its `$ref`s are relative to. */
export interface SchemaNode {
  readonly document: SchemaDocument;
  readonly value: JsonValue;
}

const nodeOf = (document: SchemaDocument, value: JsonValue): SchemaNode => ({ document, value });

function namesIn(root: JsonValue): ReadonlyMap<string, JsonValue> {
  const names = new Map<string, JsonValue>();
  const visit = (value: JsonValue): void => {
    if (isArray(value)) value.forEach(visit);
    if (!isObject(value)) return;
    for (const key of ['$id', 'id']) {
      const id = value.get(key);
      if (typeof id === 'string' && !names.has(id)) names.set(id.replace(/#$/, ''), value);
    }
    for (const key of ['$anchor', '$dynamicAnchor']) {
      const anchor = value.get(key);
      if (typeof anchor === 'string') names.set(`#${anchor}`, value);
    }
    for (const member of value.values()) visit(member);
  };
  visit(root);
  return names;
}

function pointed(root: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const part of pointer.split('/').slice(1)) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (isArray(value)) value = /^\d{1,9}$/.test(name) ? value[Number(name)] : undefined;
    else value = isObject(value) ? value.get(name) : undefined;
  }
  return value;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function splitOnce(reference: string): readonly [string, string] {
  const at = reference.indexOf('#');
  return at < 0 ? [reference, ''] : [reference.slice(0, at), reference.slice(at + 1)];
}

/** Calls `visit` for every `$ref` that a schema has, but not for members of that name in data. */
export function eachReference(value: JsonValue, visit: (reference: string) => void): void {
  if (isArray(value)) value.forEach((item) => eachReference(item, visit));
  if (!isObject(value)) return;
  const reference = value.get('$ref');
  if (typeof reference === 'string') visit(reference);
  for (const [name, member] of value) if (!DATA.has(name)) eachReference(member, visit);
}

const DATA = new Set(['const', 'default', 'enum', 'examples']);

export const membersOf = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : NO_MEMBERS);
const NO_MEMBERS: JsonObject = new Map();
