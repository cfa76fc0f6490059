/** JSON Schema of one key: accepts what the worker accepts as its value, and documents it. */
import type { AcceptedText, ConfigType } from '@millrace/sdk';
import { renderConfigValue } from '../config-parse';
import type { FrameworkKey } from '../framework-key';
import { acceptedPattern, typePattern } from './text-pattern';

export type JsonSchema = Readonly<Record<string, unknown>>;
export type Properties = Readonly<Record<string, JsonSchema>>;

/**
 * Draft 7 is the latest that all editors read: yaml-language-server and many installed versions of VS Code and IntelliJ
 * do not know later ones.
 */
export const DRAFT = 'http://json-schema.org/draft-07/schema#';

export interface ValueRules {
  /** Whether null stands for an absent value. */
  readonly nullable: boolean;
  /** The plugin parses numbers itself, and with wider ranges than the types have. */
  readonly ownChecks: boolean;
}

/** The range of JSON numbers; that of a LONG is rounded as JSON numbers are. */
const RANGE = { SHORT: [-32768, 32767], INT: [-2147483648, 2147483647], LONG: [-(2 ** 63), 2 ** 63] } as const;

/** JSON types that the worker reads as text. Strings come first, because editors insert the first type. */
export const TEXT = ['string', 'number', 'boolean'];

const EXPECTED: Readonly<Partial<Record<ConfigType, string>>> = {
  BOOLEAN: 'true or false',
  SHORT: 'an integer from -32768 to 32767',
  INT: 'an integer from -2147483648 to 2147483647',
  LONG: 'an integer of at most 64 bits',
  DOUBLE: 'a number',
};

/** Any text, as the worker reads JSON values. */
export function textSchema(nullable: boolean): JsonSchema {
  return { type: nullable ? [...TEXT, 'null'] : TEXT };
}

export function keySchemas(keys: readonly FrameworkKey[], rules: ValueRules): Properties {
  return Object.fromEntries(keys.map((key) => [key.name, keySchema(key, rules)]));
}

export function keySchema(key: FrameworkKey, rules: ValueRules): JsonSchema {
  const preset = key.type === 'PASSWORD' ? null : renderConfigValue(key.type, key.default);
  const offered = key.recommended ?? [];
  return {
    description: key.documentation,
    ...valueSchema(key, rules),
    ...(preset === null ? {} : { default: preset }),
    ...(offered.length === 0 || key.accepts ? {} : { examples: offered }),
    ...(key.type === 'PASSWORD' ? { writeOnly: true, format: 'password' } : {}),
    ...(key.deprecated ? { deprecated: true, deprecationMessage: deprecation(key) } : {}),
    ...annotations(key),
  };
}

function valueSchema(
  { type, accepts, recommended = [] }: FrameworkKey,
  { nullable, ownChecks }: ValueRules,
): JsonSchema {
  if (accepts === null) return textSchema(nullable);
  if (accepts !== undefined) return choiceSchema(accepts, recommended, nullable);
  const pattern = typePattern(ownChecks && (type === 'SHORT' || type === 'INT') ? 'LONG' : type);
  if (pattern === null) return textSchema(nullable);
  return {
    type: ['string', JSON_TYPE[type] ?? 'number', ...(nullable ? ['null'] : [])],
    pattern,
    patternErrorMessage: `Expected ${EXPECTED[ownChecks && type !== 'BOOLEAN' && type !== 'DOUBLE' ? 'LONG' : type]}.`,
    ...rangeOf(type, ownChecks),
  };
}

const JSON_TYPE: Readonly<Partial<Record<ConfigType, string>>> = {
  BOOLEAN: 'boolean',
  SHORT: 'integer',
  INT: 'integer',
  LONG: 'integer',
  DOUBLE: 'number',
};

function rangeOf(type: ConfigType, ownChecks: boolean): JsonSchema {
  if (type !== 'SHORT' && type !== 'INT' && type !== 'LONG') return {};
  const [minimum, maximum] = RANGE[ownChecks ? 'LONG' : type];
  return { minimum, maximum };
}

/** The values to offer come first: editors name them when none of the alternatives matches. */
function choiceSchema(accepts: AcceptedText, recommended: readonly string[], nullable: boolean): JsonSchema {
  const named = accepts.values.filter((value) => value !== '');
  const offered = recommended.length > 0 ? recommended : named;
  const literals = named.filter((value) => /^(?:true|false|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?)$/.test(value));
  return {
    anyOf: [
      { enum: offered },
      {
        type: 'string',
        pattern: acceptedPattern(accepts),
        patternErrorMessage: `Expected one of: ${offered.join(', ')}.`,
      },
      ...(literals.length > 0 ? [{ enum: literals.map((value) => JSON.parse(value) as unknown) }] : []),
      ...(nullable ? [{ type: 'null' }] : []),
    ],
  };
}

function deprecation({ aliasOf, documentation }: FrameworkKey): string {
  return aliasOf === undefined ? documentation : `Use ${aliasOf}.`;
}

/** What a form needs. Validators ignore keywords that begin with `x-`. */
function annotations(key: FrameworkKey): JsonSchema {
  return {
    'x-type': key.type,
    'x-importance': key.importance,
    ...(key.group == null ? {} : { 'x-group': key.group }),
    ...(key.order === undefined ? {} : { 'x-order': key.order }),
    ...(key.width === undefined ? {} : { 'x-width': key.width }),
    ...(key.displayName === undefined ? {} : { 'x-display-name': key.displayName }),
    ...(key.dependents?.length ? { 'x-dependents': key.dependents } : {}),
    ...(key.aliasOf === undefined ? {} : { 'x-alias-of': key.aliasOf }),
    ...(key.visible === false ? { 'x-visible': false } : {}),
    ...(key.withoutEffect ? { 'x-without-effect': true } : {}),
    ...(key.prominent === undefined ? {} : { 'x-prominent': key.prominent }),
  };
}
