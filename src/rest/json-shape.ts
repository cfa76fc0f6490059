/**
 * Holds a parsed document against the shape of a request. Ajv finds what does not fit; the words are Jackson's, because clients show and
 * match them. Source: connect-rest §0.2, §2.4.
 */
import type { ValidateFunction } from 'ajv';
import { JsonSyntaxError, location, type JsonNode } from './json-tree';

/** A document without positions; scalars are their literal text, as Java binds them to strings. */
export type PlainJson = string | null | readonly PlainJson[] | { readonly [key: string]: PlainJson };

export function toPlain(node: JsonNode): PlainJson {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries([...node.members].map(([name, member]) => [name, toPlain(member)]));
    case 'array':
      return node.items.map(toPlain);
    case 'null':
      return null;
    default:
      return node.text;
  }
}

/** What Java calls the type that was expected at a path. */
export interface JavaType {
  /** As in "Cannot deserialize value of type". */
  readonly full: string;
  /** As in reference chains and "Cannot construct instance of". */
  readonly raw: string;
}
const STRING: JavaType = { full: 'java.lang.String', raw: 'java.lang.String' };
const MAP: JavaType = {
  full: 'java.util.LinkedHashMap<java.lang.String,java.lang.String>',
  raw: 'java.util.LinkedHashMap',
};

export interface Shape {
  /** What Java says a whole document became when more follows it; null: it does not look. */
  readonly boundAs: string | null;
  /** JSON schema over the plain document. */
  readonly schema: object;
  readonly typeAt: (path: readonly string[]) => JavaType;
  /** Members that are known at a path, in the order Java lists them; empty for a map. */
  readonly membersAt: (path: readonly string[]) => readonly string[];
}

const nullableMap = { type: ['object', 'null'], additionalProperties: { type: ['string', 'null'] } };
const REQUEST = 'org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest';

export const CREATE_REQUEST: Shape = {
  boundAs: REQUEST,
  schema: {
    type: ['object', 'null'],
    properties: {
      name: { type: ['string', 'null'] },
      config: nullableMap,
      initial_state: {
        type: ['string', 'null'],
        pattern: '^(?:[Rr][Uu][Nn][Nn][Ii][Nn][Gg]|[Pp][Aa][Uu][Ss][Ee][Dd]|[Ss][Tt][Oo][Pp][Pp][Ee][Dd])$',
      },
    },
    additionalProperties: false,
  },
  typeAt: (path) => {
    if (path.length === 0) return { full: REQUEST, raw: REQUEST };
    return path.length === 1 && path[0] === 'config' ? MAP : STRING;
  },
  membersAt: () => ['config', 'name', 'initial_state'],
};

export const CONFIG_MAP: Shape = {
  boundAs: 'java.util.Map',
  schema: nullableMap,
  typeAt: (path) => (path.length === 0 ? MAP : STRING),
  membersAt: () => [],
};

export const TASK_CONFIGS: Shape = {
  boundAs: null,
  schema: { type: ['array', 'null'], items: nullableMap },
  typeAt: (path) =>
    [
      {
        full: 'java.util.ArrayList<java.util.Map<java.lang.String,java.lang.String>>',
        raw: 'java.util.ArrayList',
      },
      MAP,
    ][path.length] ?? STRING,
  membersAt: () => [],
};

const OFFSETS = 'org.apache.kafka.connect.runtime.rest.entities.ConnectorOffsets';
const ENTRY = 'org.apache.kafka.connect.runtime.rest.entities.ConnectorOffset';
const anyMap = { type: ['object', 'null'] };

export const CONNECTOR_OFFSETS: Shape = {
  boundAs: OFFSETS,
  schema: {
    type: ['object', 'null'],
    properties: {
      offsets: {
        type: ['array', 'null'],
        items: {
          type: ['object', 'null'],
          properties: { partition: anyMap, offset: anyMap },
          additionalProperties: false,
        },
      },
    },
    additionalProperties: false,
  },
  typeAt: (path) =>
    [
      { full: OFFSETS, raw: OFFSETS },
      { full: `java.util.ArrayList<${ENTRY}>`, raw: 'java.util.ArrayList' },
      { full: ENTRY, raw: ENTRY },
    ][path.length] ?? {
      full: 'java.util.LinkedHashMap<java.lang.String,java.lang.Object>',
      raw: 'java.util.LinkedHashMap',
    },
  membersAt: (path) => (path.length === 0 ? ['offsets'] : ['partition', 'offset']),
};

const compiled = new WeakMap<Shape, ValidateFunction>();

/** Ajv is loaded with the first body, not with the worker: most of a cold start would be it. */
async function validator(shape: Shape): Promise<ValidateFunction> {
  let found = compiled.get(shape);
  if (!found) {
    const { Ajv } = await import('ajv');
    found = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(shape.schema);
    compiled.set(shape, found);
  }
  return found;
}

/** Throws JsonSyntaxError for the first mismatch in the text. */
export async function checkShape(shape: Shape, root: JsonNode, text: string): Promise<PlainJson> {
  const plain = toPlain(root);
  const validate = await validator(shape);
  if (validate(plain)) return plain;
  const problems = (validate.errors ?? []).map((error) => {
    const path = error.instancePath
      .split('/')
      .slice(1)
      .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'));
    if (error.keyword === 'additionalProperties') path.push(String(error.params.additionalProperty));
    return { keyword: error.keyword, path, node: nodeAt(root, path) };
  });
  problems.sort((a, b) => a.node.at - b.node.at);
  const first = problems[0];
  if (!first) throw new Error('ajv refused a document without saying why');
  throw new JsonSyntaxError(
    describe(shape, first.keyword, first.path, first.node) +
      location(text, first.node.at) +
      (first.path.length === 0 ? '' : chain(shape, first.path)),
  );
}

function nodeAt(root: JsonNode, path: readonly string[]): JsonNode {
  return path.reduce((node: JsonNode, step) => {
    const next =
      node.kind === 'object' ? node.members.get(step) : node.kind === 'array' ? node.items[Number(step)] : undefined;
    return next ?? node;
  }, root);
}

function chain(shape: Shape, path: readonly string[]): string {
  const links = path.map((step, index) => {
    const owner = shape.typeAt(path.slice(0, index)).raw;
    return owner === 'java.util.ArrayList' ? `${owner}[${step}]` : `${owner}["${step}"]`;
  });
  return ` (through reference chain: ${links.join('->')})`;
}

function describe(shape: Shape, keyword: string, path: readonly string[], node: JsonNode): string {
  if (keyword === 'additionalProperties') {
    const members = shape.membersAt(path.slice(0, -1));
    const known = members.map((name) => `"${name}"`).join(', ');
    const count = members.length === 1 ? 'one known property: ' : `${members.length} known properties: `;
    const owner = shape.typeAt(path.slice(0, -1)).raw;
    return `Unrecognized field "${path.at(-1)}" (class ${owner}), not marked as ignorable (${count}${known})`;
  }
  if (keyword === 'pattern' && 'text' in node) {
    return `Cannot construct instance of \`${REQUEST}$InitialState\`, problem: No enum constant ${REQUEST}.InitialState.${node.text.toUpperCase()}`;
  }
  return mismatch(shape.typeAt(path), node);
}

/** Lists are made of lists alone, maps of texts too as far as Java's binder goes, and classes of whatever they have a constructor for. */
function mismatch({ full, raw }: JavaType, node: JsonNode): string {
  const [kind, token, constructor] = SCALARS[valueKind(node)];
  const isList = raw === 'java.util.ArrayList';
  const isMap = raw === 'java.util.LinkedHashMap';
  if (constructor === null || isList || (isMap && node.kind !== 'string'))
    return `Cannot deserialize value of type \`${full}\` from ${kind} value (token \`JsonToken.${token}\`)`;
  const text = 'text' in node ? node.text : '';
  if (node.kind === 'string' && text === '')
    return `Cannot coerce empty String ("") to ${isMap ? `element of \`${raw}\`` : `\`${raw}\` value`} (but could if coercion was enabled using \`CoercionConfig\`)`;
  const shown = node.kind === 'string' ? `'${text}'` : text;
  return `Cannot construct instance of \`${raw}\` (although at least one Creator exists): no ${constructor}-argument constructor/factory method to deserialize from ${CONSTRUCTED[node.kind] ?? kind} value (${shown})`;
}

type ValueKind = 'object' | 'array' | 'integer' | 'float' | 'true' | 'false' | 'text';

function valueKind(node: JsonNode): ValueKind {
  switch (node.kind) {
    case 'object':
    case 'array':
      return node.kind;
    case 'number':
      return /^-?[0-9]+$/.test(node.text) ? 'integer' : 'float';
    case 'boolean':
      return node.text === 'true' ? 'true' : 'false';
    default:
      return 'text';
  }
}

/** Jackson's words: for the value, its token, and the constructor it looks for. */
const SCALARS: Readonly<Record<ValueKind, readonly [kind: string, token: string, constructor: string | null]>> = {
  object: ['Object', 'START_OBJECT', null],
  array: ['Array', 'START_ARRAY', null],
  integer: ['Integer', 'VALUE_NUMBER_INT', 'int/Int'],
  float: ['Floating-point', 'VALUE_NUMBER_FLOAT', 'double/Double'],
  true: ['Boolean', 'VALUE_TRUE', 'boolean/Boolean'],
  false: ['Boolean', 'VALUE_FALSE', 'boolean/Boolean'],
  text: ['String', 'VALUE_STRING', 'String'],
};

/** Where a constructor is looked for, other words are used. */
const CONSTRUCTED: Readonly<Record<string, string>> = { number: 'Number', boolean: 'boolean' };
