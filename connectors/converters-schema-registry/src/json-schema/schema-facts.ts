/**
 * What a JSON Schema says about its values, with all that it refers to and that applies to the same value: `$ref`,
 * `allOf`, and the only alternative of `oneOf` or `anyOf` that is not null. Of two that say the same, the outer counts.
 */
import { setMember } from '@millrace/sdk';
import { JsonNumber } from '@millrace/texts/json';
import { isObject, memberOf, type Place, type SchemaDocuments, type Tree, type TreeObject } from './schema-documents';
import { unusable } from './schema-error';
import { CONNECT_PARAMETERS, CONNECT_TYPE, CONNECT_VERSION, DEEPEST_SCHEMA } from './vocabulary';

export interface Facts {
  /** JSON types of the values, without null. Null: any. */
  types: readonly string[] | null;
  /** Whether null is a value. Undefined: nothing was said. */
  nullable: boolean | undefined;
  title: string | null;
  description: string | null;
  connectType: string | null;
  version: number | null;
  parameters: Record<string, string> | null;
  default: Tree | undefined;
  /** `enum` or `const`. */
  values: readonly Tree[] | null;
  /** Each with all schemas that its value has to fit. */
  readonly properties: Map<string, Place[]>;
  readonly required: Set<string>;
  /** Of members that are no properties. */
  additional: Place | null;
  /** No other members than properties are allowed. */
  isClosed: boolean;
  /** Schemas of elements: one, or those of a tuple. */
  items: readonly Place[] | null;
  /** At least two, without null. */
  alternatives: readonly Place[] | null;
  /** Whether there is no value at all. */
  isNever: boolean;
}

/** Schemas that apply to one value in all, so that those which refer to others twice end. */
const MOST_SCHEMAS = 10_000;
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

/** Throws DataError `JSON_SCHEMA_INVALID`. */
export function factsOf(place: Place, documents: SchemaDocuments): Facts {
  const gathering = new Gathering(documents);
  gathering.add(place);
  return gathering.facts;
}

class Gathering {
  readonly facts: Facts = {
    types: null,
    nullable: undefined,
    title: null,
    description: null,
    connectType: null,
    version: null,
    parameters: null,
    default: undefined,
    values: null,
    properties: new Map(),
    required: new Set(),
    additional: null,
    isClosed: false,
    items: null,
    alternatives: null,
    isNever: false,
  };
  private readonly around = new Set<TreeObject>();
  private count = 0;

  constructor(private readonly documents: SchemaDocuments) {}

  add(place: Place): void {
    const { node } = place;
    this.documents.look();
    if (++this.count > MOST_SCHEMAS) throw unusable(`more than ${MOST_SCHEMAS} schemas apply to one value`);
    if (node === false) this.facts.isNever = true;
    if (typeof node === 'boolean') return;
    if (!isObject(node)) throw unusable('it has something else where a schema is expected');
    if (this.around.size >= DEEPEST_SCHEMA) throw unusable(`more than ${DEEPEST_SCHEMA} schemas refer to one another`);
    if (this.around.has(node)) throw unusable('it refers to itself, so that no value fits it');
    this.around.add(node);
    this.annotations(node);
    this.constraints(node);
    this.structure(place, node);
    this.others(place, node);
    this.around.delete(node);
  }

  private annotations(node: TreeObject): void {
    const { facts } = this;
    facts.title ??= textOf(node.title);
    facts.description ??= textOf(node.description);
    facts.connectType ??= textOf(node[CONNECT_TYPE]);
    facts.version ??= integerOf(node[CONNECT_VERSION]);
    facts.parameters ??= parametersOf(node[CONNECT_PARAMETERS]);
    if (node.default !== undefined && node.default !== null) facts.default ??= node.default;
  }

  private constraints(node: TreeObject): void {
    const { facts } = this;
    const { type } = node;
    const types = typeof type === 'string' ? [type] : listOf(type).filter((one) => typeof one === 'string');
    if (types.length > 0) {
      this.allowNull(types.includes('null'));
      facts.types = common(
        facts.types,
        types.filter((one) => one !== 'null'),
      );
    }
    const values = node.const !== undefined ? [node.const] : Array.isArray(node.enum) ? listOf(node.enum) : null;
    if (values === null) return;
    facts.values ??= values;
    if (types.length === 0) this.allowNull(values.includes(null));
  }

  private allowNull(isAllowed: boolean): void {
    this.facts.nullable = isAllowed && this.facts.nullable !== false;
  }

  private structure(place: Place, node: TreeObject): void {
    const { facts } = this;
    const { document } = place;
    if (isObject(node.properties))
      for (const name of Object.keys(node.properties)) {
        const property: Place = { node: memberOf(node.properties, name) as Tree, document };
        const known = facts.properties.get(name);
        if (known === undefined) facts.properties.set(name, [property]);
        // References to the same place twice say no more.
        else if (!known.some((one) => one.node === property.node)) known.push(property);
      }
    for (const name of listOf(node.required)) if (typeof name === 'string') facts.required.add(name);
    const { additionalProperties: additional } = node;
    if (additional === false) facts.isClosed = true;
    else if (isObject(additional)) facts.additional ??= { node: additional, document };
    const items = [node.prefixItems, node.items].flatMap((one) =>
      Array.isArray(one) ? listOf(one) : one === undefined ? [] : [one],
    );
    // False says that a tuple ends.
    const some = items.filter((one) => one !== false);
    if (some.length > 0) facts.items ??= some.map((one) => ({ node: one, document }));
  }

  private others(place: Place, node: TreeObject): void {
    for (const keyword of REFERENCES) {
      const reference = node[keyword];
      if (typeof reference === 'string') this.add(this.documents.resolve(reference, place));
    }
    for (const one of listOf(node.allOf)) this.add({ node: one, document: place.document });
    for (const list of [node.oneOf, node.anyOf]) if (Array.isArray(list)) this.choice(place, listOf(list));
  }

  private choice(place: Place, list: readonly Tree[]): void {
    const { facts } = this;
    const places = list.map((node): Place => ({ node, document: place.document }));
    const others = places.filter((one) => !this.isNull(one));
    if (others.length === 1) this.add(others[0] as Place);
    else if (others.length > 1) facts.alternatives ??= others;
    else facts.types = [];
    if (others.length < places.length) facts.nullable = true;
  }

  /** Whether null is the only value. */
  private isNull(place: Place): boolean {
    let at = place;
    for (let i = 0; i < MOST_SCHEMAS && isObject(at.node); i++) {
      const { type, $ref, const: only } = at.node;
      if (type === 'null' || only === null) return true;
      if (typeof $ref !== 'string') return false;
      this.documents.look();
      at = this.documents.resolve($ref, at);
    }
    return false;
  }
}

export function textOf(tree: Tree | undefined): string | null {
  return typeof tree === 'string' ? tree : null;
}

/** Null: it is none, or one that no version or index is. */
export function integerOf(tree: Tree | undefined): number | null {
  const number = tree instanceof JsonNumber ? tree.toNumber() : NaN;
  return Number.isInteger(number) && Math.abs(number) < 2 ** 31 ? number : null;
}

function listOf(tree: Tree | undefined): readonly Tree[] {
  return Array.isArray(tree) ? (tree as readonly Tree[]) : [];
}

function parametersOf(tree: Tree | undefined): Record<string, string> | null {
  if (!isObject(tree)) return null;
  const parameters: Record<string, string> = {};
  for (const [name, value] of Object.entries(tree)) if (typeof value === 'string') setMember(parameters, name, value);
  return parameters;
}

/** Types that are in both. If none is, the schema has no value, and the first ones say what was meant. */
function common(first: readonly string[] | null, second: readonly string[]): readonly string[] {
  if (first === null) return second;
  const both = first.flatMap((type) => {
    if (second.includes(type)) return [type];
    const isNumber = type === 'integer' ? second.includes('number') : type === 'number' && second.includes('integer');
    return isNumber ? ['integer'] : [];
  });
  return both.length > 0 ? both : first;
}
