/**
 * The text of a registered schema and of those that it refers to, as trees in which references are found. Nothing is
 * ever fetched: a reference is to a place in these texts, by a JSON pointer, by an `$id` or anchor, or by the name that
 * the registry knows it by.
 */
import { JsonNumber, exactNumber, parseExact } from '@millrace/texts/json';
import { readMember } from '@millrace/sdk';
import type { RegisteredSchema } from '../registry/schema-registry';
import { unusable } from './schema-error';
import { DEEPEST_SCHEMA, MOST_CHARACTERS_IN_ALL, MOST_SCHEMA_CHARACTERS } from './vocabulary';

/** Numbers are `JsonNumber`s. */
export type Tree = null | boolean | string | JsonNumber | readonly Tree[] | TreeObject;
export interface TreeObject {
  readonly [name: string]: Tree | undefined;
}

export interface Document {
  readonly root: Tree;
  /** Against which its references are resolved; empty: none. */
  readonly base: string;
}

/** A schema in a document. */
export interface Place {
  readonly node: Tree;
  readonly document: Document;
}

/** Takes a quarter of a second. */
const MOST_LOOKS = 200_000;
/** Keywords whose value is no schema, and holds none. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'connect.parameters']);

export class SchemaDocuments {
  readonly root: Place;
  private readonly named = new Map<string, Place>();
  private looks = 0;

  /** Throws DataError `JSON_SCHEMA_INVALID`. */
  constructor(registered: Pick<RegisteredSchema, 'text' | 'dependencies'>) {
    let characters = registered.text.length;
    for (const text of registered.dependencies.values()) characters += text.length;
    if (characters > MOST_CHARACTERS_IN_ALL)
      throw unusable(`it and the schemas it refers to have more than ${MOST_CHARACTERS_IN_ALL} characters`);
    this.root = this.add(registered.text);
    for (const [name, text] of registered.dependencies) this.named.set(name, this.add(text, name));
  }

  /** Throws DataError `JSON_SCHEMA_INVALID`. */
  resolve(reference: string, { document }: Place): Place {
    const at = reference.indexOf('#');
    const name = at < 0 ? reference : reference.slice(0, at);
    const fragment = at < 0 ? '' : reference.slice(at + 1);
    const target = name === '' ? { node: document.root, document } : this.find(name, document.base);
    if (target === undefined)
      throw unusable(`its reference ${shown(reference)} is neither in the schema nor one of its references`);
    if (fragment === '') return target;
    const found = fragment.startsWith('/')
      ? pointed(target, fragment)
      : (this.named.get(`${name === '' ? document.base : name}#${fragment}`) ??
        this.named.get(`${target.document.base}#${fragment}`));
    if (found === undefined) throw unusable(`its reference ${shown(reference)} leads to nothing`);
    return found;
  }

  /** Before each look at a schema: texts are bounded, but references multiply. Throws DataError. */
  look(): void {
    if (++this.looks > MOST_LOOKS) throw unusable('its references lead to too many schemas');
  }

  private find(name: string, base: string): Place | undefined {
    return this.named.get(name) ?? this.named.get(resolvedUrl(name, base));
  }

  private add(text: string, name = ''): Place {
    const of = name === '' ? '' : ` of its reference ${shown(name)}`;
    if (text.length > MOST_SCHEMA_CHARACTERS)
      throw unusable(`the text${of} has more than ${MOST_SCHEMA_CHARACTERS} characters`);
    let root: Tree;
    try {
      root = parseExact(text, exactNumber, true) as Tree;
    } catch (error) {
      throw unusable(`the text${of} is not JSON (${(error as Error).message})`);
    }
    if (typeof root !== 'boolean' && !isObject(root))
      throw unusable(`the text${of} is neither an object nor a boolean`);
    const document: Document = { root, base: idOf(root) ?? name };
    this.index({ node: root, document }, document.base, 0);
    return { node: root, document };
  }

  /** Remembers what has an `$id` or an anchor. */
  private index(place: Place, base: string, depth: number): void {
    const { node, document } = place;
    if (depth > DEEPEST_SCHEMA) throw unusable(`it is nested deeper than ${DEEPEST_SCHEMA} levels`);
    if (Array.isArray(node)) {
      for (const item of node as readonly Tree[]) this.index({ node: item, document }, base, depth + 1);
      return;
    }
    if (!isObject(node)) return;
    let own = base;
    const id = idOf(node);
    if (id?.startsWith('#') === true) this.name(`${base}${id}`, place);
    else if (id !== undefined) {
      own = resolvedUrl(id, base).replace(/#$/, '');
      this.name(own, place);
    }
    const { $anchor: anchor } = node;
    if (typeof anchor === 'string') this.name(`${own}#${anchor}`, place);
    for (const [name, member] of Object.entries(node))
      if (!DATA.has(name)) this.index({ node: member as Tree, document }, own, depth + 1);
  }

  private name(name: string, place: Place): void {
    if (name !== '' && !this.named.has(name)) this.named.set(name, place);
  }
}

export function isObject(tree: Tree | undefined): tree is TreeObject {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree) && !(tree instanceof JsonNumber);
}

/** A member of any name, such as `constructor`. */
export function memberOf(tree: TreeObject, name: string): Tree | undefined {
  return readMember(tree, name) as Tree | undefined;
}

/** Draft 4 has `id`, which is a property of many objects, too: it is text there only in a schema. */
function idOf(node: Tree): string | undefined {
  if (!isObject(node)) return undefined;
  const { $id, id } = node;
  if (typeof $id === 'string') return $id;
  return typeof id === 'string' ? id : undefined;
}

function pointed(from: Place, pointer: string): Place | undefined {
  let node: Tree | undefined = from.node;
  for (const part of pointer.slice(1).split('/')) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(node)) node = /^\d{1,9}$/.test(name) ? (node as readonly Tree[])[Number(name)] : undefined;
    else node = isObject(node) ? memberOf(node, name) : undefined;
    if (node === undefined) return undefined;
  }
  return { node, document: from.document };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Names need not be URLs: they are then as they are. */
function resolvedUrl(reference: string, base: string): string {
  return URL.canParse(reference, base === '' ? undefined : base)
    ? new URL(reference, base === '' ? undefined : base).href
    : reference;
}

export function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
