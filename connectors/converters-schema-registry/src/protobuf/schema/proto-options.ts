/** Options of declarations in .proto files: their syntax, and those that the converter knows. */
import { schemaError } from '../faults';
import { MOST_NESTING } from '../limits';
import { NO_META, type DefaultText, type Meta } from './proto-model';
import type { ProtoTokens, Token } from './proto-tokens';

export type OptionValue =
  | { readonly kind: 'one'; readonly text: string; readonly bytes: Buffer | null }
  | { readonly kind: 'list'; readonly values: readonly OptionValue[] }
  | { readonly kind: 'members'; readonly members: readonly (readonly [string, OptionValue])[] };

export interface Option {
  /** With its parentheses and parts, e.g. `(confluent.field_meta).params`. */
  readonly name: string;
  readonly value: OptionValue;
}

export type Options = readonly Option[];

/** What stands between `[` and `]`, or nothing. */
export function readFieldOptions(tokens: ProtoTokens): Options {
  const options: Option[] = [];
  if (!takeSymbol(tokens, '[')) return options;
  do options.push(readOption(tokens));
  while (takeSymbol(tokens, ','));
  expectSymbol(tokens, ']');
  return options;
}

/** `name = value`. */
export function readOption(tokens: ProtoTokens): Option {
  let name = '';
  for (;;) {
    const token = tokens.next();
    if (token.kind === 'word') name += token.text;
    else if (token.kind === 'symbol' && token.text === '(') {
      name += `(${expectWord(tokens).replace(/^\./, '')})`;
      expectSymbol(tokens, ')');
    } else if (token.kind === 'symbol' && token.text === '.') name += '.';
    else throw unexpected(token);
    const next = tokens.peek();
    if (next.kind === 'symbol' && next.text === '=') break;
  }
  expectSymbol(tokens, '=');
  return { name, value: readValue(tokens, 0) };
}

function readValue(tokens: ProtoTokens, depth: number): OptionValue {
  if (depth > MOST_NESTING) throw schemaError(`An option of the schema is nested more than ${MOST_NESTING} times.`);
  const token = tokens.peek();
  if (token.kind === 'symbol' && (token.text === '{' || token.text === '<')) {
    tokens.next();
    return { kind: 'members', members: readMembers(tokens, token.text === '{' ? '}' : '>', depth) };
  }
  if (takeSymbol(tokens, '[')) {
    const values: OptionValue[] = [];
    while (!takeSymbol(tokens, ']')) {
      values.push(readValue(tokens, depth + 1));
      takeSymbol(tokens, ',');
    }
    return { kind: 'list', values };
  }
  return { kind: 'one', ...readConstant(tokens) };
}

function readMembers(tokens: ProtoTokens, end: string, depth: number): [string, OptionValue][] {
  const members: [string, OptionValue][] = [];
  while (!takeSymbol(tokens, end)) {
    let name: string;
    if (takeSymbol(tokens, '[')) {
      name = '';
      while (!takeSymbol(tokens, ']')) name += takeAny(tokens);
    } else name = expectWord(tokens);
    takeSymbol(tokens, ':');
    members.push([name, readValue(tokens, depth + 1)]);
    if (!takeSymbol(tokens, ',')) takeSymbol(tokens, ';');
  }
  return members;
}

/** A number with its sign, a word, or texts in quotes, which are joined. */
function readConstant(tokens: ProtoTokens): DefaultText {
  const token = tokens.next();
  if (token.kind === 'symbol' && (token.text === '-' || token.text === '+')) {
    const number = tokens.next();
    if (number.kind !== 'number' && number.kind !== 'word') throw unexpected(number);
    return { text: (token.text === '-' ? '-' : '') + number.text, bytes: null };
  }
  if (token.kind === 'text') {
    const parts = [token.bytes as Buffer];
    while (tokens.peek().kind === 'text') parts.push(tokens.next().bytes as Buffer);
    const bytes = Buffer.concat(parts);
    return { text: bytes.toString(), bytes };
  }
  if (token.kind !== 'word' && token.kind !== 'number') throw unexpected(token);
  return { text: token.text, bytes: null };
}

/** The text of the last option of the name; null: there is none. */
export function optionText(options: Options, name: string): DefaultText | null {
  for (let i = options.length - 1; i >= 0; i--) {
    const option = options[i] as Option;
    if (option.name === name && option.value.kind === 'one') return option.value;
  }
  return null;
}

/** @param name `field_meta` or `message_meta` */
export function metaOf(options: Options, name: string): Meta {
  const full = `(confluent.${name})`;
  let doc: string | null = null;
  const params = new Map<string, string>();
  for (const option of options) {
    if (option.name !== full && !option.name.startsWith(`${full}.`)) continue;
    const rest = option.name.slice(full.length + 1);
    const members: readonly (readonly [string, OptionValue])[] =
      rest !== '' ? [[rest, option.value]] : option.value.kind === 'members' ? option.value.members : [];
    for (const [member, value] of members) {
      if (member === 'doc' && value.kind === 'one') doc = value.text;
      else if (member === 'params') addParams(value, params);
    }
  }
  return doc === null && params.size === 0 ? NO_META : { doc, params };
}

function addParams(value: OptionValue, params: Map<string, string>): void {
  if (value.kind === 'list') for (const one of value.values) addParams(one, params);
  if (value.kind !== 'members') return;
  let key = '';
  let text = '';
  for (const [member, of] of value.members) {
    if (of.kind !== 'one') continue;
    if (member === 'key') key = of.text;
    else if (member === 'value') text = of.text;
  }
  params.set(key, text);
}

export function takeSymbol(tokens: ProtoTokens, symbol: string): boolean {
  const token = tokens.peek();
  if (token.kind !== 'symbol' || token.text !== symbol) return false;
  tokens.next();
  return true;
}

export function expectSymbol(tokens: ProtoTokens, symbol: string): void {
  if (!takeSymbol(tokens, symbol)) throw unexpected(tokens.peek());
}

export function expectWord(tokens: ProtoTokens): string {
  const token = tokens.next();
  if (token.kind !== 'word') throw unexpected(token);
  return token.text;
}

function takeAny(tokens: ProtoTokens): string {
  const token = tokens.next();
  if (token.kind === 'end') throw unexpected(token);
  return token.text;
}

export function unexpected(token: Token): Error {
  const what = token.kind === 'end' ? 'its end' : `"${token.text.slice(0, 40)}"`;
  return schemaError(`The schema is not a .proto file: ${what} is not expected in line ${token.line}.`);
}
