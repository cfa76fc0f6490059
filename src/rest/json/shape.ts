/**
 * Checks a parsed document against the shape of a request, in the order of its text, up to the first mismatch. Error
 * texts are Jackson's, because clients show and match them. Source: connect-rest §0.2, §2.4.
 */
import { JsonSyntaxError, location, type JsonNode } from './tree';

/** A document without positions. Scalars are their literal text, as Java binds them to strings. */
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

/** Java's names of the expected type. */
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
const LIST = 'java.util.ArrayList';

/** The expected type of a value. `null` matches every type. */
type Expected =
  | { readonly kind: 'text'; readonly type: JavaType; readonly oneOf?: readonly string[] }
  /** `values` null: any values. */
  | { readonly kind: 'map'; readonly type: JavaType; readonly values: Expected | null }
  | { readonly kind: 'list'; readonly type: JavaType; readonly items: Expected }
  /** Members in the order Java lists them. */
  | { readonly kind: 'class'; readonly type: JavaType; readonly members: ReadonlyMap<string, Expected> };

export interface Shape {
  /** Java's type in the error about trailing tokens. Null: they are ignored. */
  readonly boundAs: string | null;
  readonly root: Expected;
}

const TEXT: Expected = { kind: 'text', type: STRING };
const TEXT_MAP: Expected = { kind: 'map', type: MAP, values: TEXT };
const REQUEST = 'org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest';

export const CREATE_REQUEST: Shape = {
  boundAs: REQUEST,
  root: {
    kind: 'class',
    type: { full: REQUEST, raw: REQUEST },
    members: new Map<string, Expected>([
      ['config', TEXT_MAP],
      ['name', TEXT],
      ['initial_state', { kind: 'text', type: STRING, oneOf: ['RUNNING', 'PAUSED', 'STOPPED'] }],
    ]),
  },
};

export const CONFIG_MAP: Shape = { boundAs: 'java.util.Map', root: TEXT_MAP };

export const TASK_CONFIGS: Shape = {
  boundAs: null,
  root: {
    kind: 'list',
    type: { full: `${LIST}<java.util.Map<java.lang.String,java.lang.String>>`, raw: LIST },
    items: TEXT_MAP,
  },
};

const OFFSETS = 'org.apache.kafka.connect.runtime.rest.entities.ConnectorOffsets';
const ENTRY = 'org.apache.kafka.connect.runtime.rest.entities.ConnectorOffset';
const ANY_MAP: Expected = {
  kind: 'map',
  type: { full: 'java.util.LinkedHashMap<java.lang.String,java.lang.Object>', raw: 'java.util.LinkedHashMap' },
  values: null,
};

export const CONNECTOR_OFFSETS: Shape = {
  boundAs: OFFSETS,
  root: {
    kind: 'class',
    type: { full: OFFSETS, raw: OFFSETS },
    members: new Map<string, Expected>([
      [
        'offsets',
        {
          kind: 'list',
          type: { full: `${LIST}<${ENTRY}>`, raw: LIST },
          items: {
            kind: 'class',
            type: { full: ENTRY, raw: ENTRY },
            members: new Map([
              ['partition', ANY_MAP],
              ['offset', ANY_MAP],
            ]),
          },
        },
      ],
    ]),
  },
};

const SIGNAL_CLASS = 'org.millrace.connect.Signal';

/** Java has no such request; the texts follow those of its classes. */
export const SIGNAL: Shape = {
  boundAs: SIGNAL_CLASS,
  root: {
    kind: 'class',
    type: { full: SIGNAL_CLASS, raw: SIGNAL_CLASS },
    members: new Map<string, Expected>([
      ['id', TEXT],
      ['type', TEXT],
      ['data', ANY_MAP],
    ]),
  },
};

const REPLAY_CLASS = 'org.millrace.connect.Replay';

/** Of the console. */
export const REPLAY: Shape = {
  boundAs: REPLAY_CLASS,
  root: {
    kind: 'class',
    type: { full: REPLAY_CLASS, raw: REPLAY_CLASS },
    members: new Map<string, Expected>([
      ['letters', { kind: 'list', type: { full: `${LIST}<${ANY_MAP.type.full}>`, raw: LIST }, items: ANY_MAP }],
    ]),
  },
};

/** Throws JsonSyntaxError for the first mismatch in the text. */
export function checkShape(shape: Shape, root: JsonNode, text: string): void {
  const chain: string[] = [];

  function refuse(reason: string, at: number): never {
    const through = chain.length === 0 ? '' : ` (through reference chain: ${chain.join('->')})`;
    throw new JsonSyntaxError(reason + location(text, at) + through);
  }

  function check(expected: Expected, node: JsonNode): void {
    if (node.kind === 'null') return;
    const { raw } = expected.type;
    switch (expected.kind) {
      case 'text':
        if (node.kind === 'object' || node.kind === 'array') break;
        if (expected.oneOf?.includes(node.text.toUpperCase()) === false) refuse(noSuchState(node.text), node.at);
        return;
      case 'list':
        if (node.kind !== 'array') break;
        for (const [index, item] of node.items.entries()) {
          chain.push(`${raw}[${index}]`);
          check(expected.items, item);
          chain.pop();
        }
        return;
      case 'map':
        if (node.kind !== 'object') break;
        if (expected.values === null) return;
        for (const [name, member] of node.members) {
          chain.push(`${raw}["${name}"]`);
          check(expected.values, member);
          chain.pop();
        }
        return;
      case 'class':
        if (node.kind !== 'object') break;
        for (const [name, member] of node.members) {
          chain.push(`${raw}["${name}"]`);
          const known = expected.members.get(name);
          if (known === undefined) refuse(unknownMember(name, raw, expected.members), member.at);
          check(known, member);
          chain.pop();
        }
        return;
    }
    refuse(mismatch(expected.type, node), node.at);
  }

  check(shape.root, root);
}

function unknownMember(name: string, owner: string, members: ReadonlyMap<string, Expected>): string {
  const known = [...members.keys()].map((member) => `"${member}"`).join(', ');
  const count = members.size === 1 ? 'one known property: ' : `${members.size} known properties: `;
  return `Unrecognized field "${name}" (class ${owner}), not marked as ignorable (${count}${known})`;
}

function noSuchState(text: string): string {
  return `Cannot construct instance of \`${REQUEST}$InitialState\`, problem: No enum constant ${REQUEST}.InitialState.${text.toUpperCase()}`;
}

/**
 * Jackson's messages depend on what it could coerce: only arrays to lists, also strings to maps, and to classes
 * whatever they have a constructor for.
 */
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

/** Jackson's names of the value, its token, and the constructor it looks up. */
const SCALARS: Readonly<Record<ValueKind, readonly [kind: string, token: string, constructor: string | null]>> = {
  object: ['Object', 'START_OBJECT', null],
  array: ['Array', 'START_ARRAY', null],
  integer: ['Integer', 'VALUE_NUMBER_INT', 'int/Int'],
  float: ['Floating-point', 'VALUE_NUMBER_FLOAT', 'double/Double'],
  true: ['Boolean', 'VALUE_TRUE', 'boolean/Boolean'],
  false: ['Boolean', 'VALUE_FALSE', 'boolean/Boolean'],
  text: ['String', 'VALUE_STRING', 'String'],
};

/** Names of values in messages about constructors, where they differ. */
const CONSTRUCTED: Readonly<Record<string, string>> = { number: 'Number', boolean: 'boolean' };
