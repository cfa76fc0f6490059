/** Options between descriptors and texts: those of Google and Confluent. Others are left out: they are no data's. */
import { Enum } from 'protobufjs';
import { META, META_NAMES, optionsType, type OptionsName, type OptionValues } from './descriptor-proto';

/** Said by the declaration itself, or by nobody but compilers. */
const NOT_PRINTED = new Set(['mapEntry', 'uninterpretedOption', 'editionDefaults', 'featureSupport', 'targets']);
const SIMPLE_NAME = /^[A-Za-z_]\w*$/;

interface Meta {
  readonly doc?: string;
  readonly params?: Readonly<Record<string, string>>;
}

/** Of each option, its name and value as in a text. */
export function printOptions(kind: OptionsName, options: OptionValues | undefined): readonly string[] {
  if (options === undefined) return [];
  return optionsType(kind).fieldsArray.flatMap(({ name, resolvedType }) => {
    const value = options[name];
    if (value === undefined || NOT_PRINTED.has(name)) return [];
    if (name === META) return [`${META_NAMES[kind]} = ${metaText(value as Meta)}`];
    if (name === 'features')
      return Object.entries(value as OptionValues).flatMap(([feature, one]) =>
        typeof one === 'string' && SIMPLE_NAME.test(one) ? [`features.${snake(feature)} = ${one}`] : [],
      );
    if (resolvedType instanceof Enum)
      return typeof value === 'string' && SIMPLE_NAME.test(value) ? [`${snake(name)} = ${value}`] : [];
    return typeof value === 'object' ? [] : [`${snake(name)} = ${constant(value)}`];
  });
}

function metaText({ doc, params = {} }: Meta): string {
  const entries = Object.entries(params).map(([key, value]) => `{ key: ${quoted(key)}, value: ${quoted(value)} }`);
  return `{ ${[
    ...(doc === undefined ? [] : [`doc: ${quoted(doc)}`]),
    ...(entries.length === 0 ? [] : [`params: [${entries.join(', ')}]`]),
  ].join(', ')} }`;
}

const constant = (value: unknown): string => (typeof value === 'string' ? quoted(value) : String(value));

/** A text between quotes. */
export function quoted(text: string): string {
  const escaped = text.replace(/["\\\n\r\t\0]/g, (char) => {
    return ({ '\n': '\\n', '\r': '\\r', '\t': '\\t', '\0': '\\000' } as Record<string, string>)[char] ?? `\\${char}`;
  });
  return `"${escaped}"`;
}

/** @param parsed the library's form: of each option an object with its name as the only member */
export function readOptions(kind: OptionsName, parsed: readonly unknown[] | undefined): OptionValues | undefined {
  const options = new Map<string, unknown>();
  const { fields } = optionsType(kind);
  for (const one of parsed ?? [])
    for (const [name, value] of Object.entries(one as OptionValues)) {
      const own = camel(name);
      if (name.replace('(.', '(') === META_NAMES[kind]) options.set(META, merged(options.get(META) as Meta, value));
      else if (name === 'features' && typeof value === 'object')
        options.set(name, {
          ...(options.get(name) as OptionValues | undefined),
          ...Object.fromEntries(Object.entries(value as OptionValues).map(([of, is]) => [camel(of), is])),
        });
      else if (own !== META && Object.hasOwn(fields, own) && typeof value !== 'object') options.set(own, value);
    }
  return options.size === 0 ? undefined : Object.fromEntries(options);
}

function merged(known: Meta | undefined, value: unknown): Meta {
  const { doc, params } = (value ?? {}) as { readonly doc?: unknown; readonly params?: unknown };
  const entries = [params ?? []].flat() as readonly { readonly key?: unknown; readonly value?: unknown }[];
  const all = new Map(Object.entries(known?.params ?? {}));
  for (const entry of entries) all.set(String(entry.key ?? ''), String(entry.value ?? ''));
  const text = doc === undefined ? known?.doc : String(doc);
  return { ...(text !== undefined && { doc: text }), ...(all.size > 0 && { params: Object.fromEntries(all) }) };
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (char) => `_${char.toLowerCase()}`);
const camel = (name: string): string => name.replace(/_([a-z])/g, (_, char: string) => char.toUpperCase());
