/** Reads the text of a .proto file: proto2, proto3 and editions. Types are still names. */
import { schemaError } from '../faults';
import { MOST_DECLARATIONS, MOST_NESTING } from '../limits';
import {
  expectSymbol,
  expectWord,
  readFieldOptions,
  readOption,
  takeSymbol,
  unexpected,
  type Option,
  type Options,
} from './proto-options';
import { ProtoTokens, type Token } from './proto-tokens';

export interface ParsedFile {
  readonly syntax: 'proto2' | 'proto3' | 'editions';
  readonly package: string;
  readonly imports: readonly string[];
  readonly options: Options;
  readonly messages: readonly ParsedMessage[];
  readonly enums: readonly ParsedEnum[];
}

export interface ParsedMessage {
  readonly name: string;
  readonly fields: readonly ParsedField[];
  readonly oneofs: readonly string[];
  readonly messages: readonly ParsedMessage[];
  readonly enums: readonly ParsedEnum[];
  readonly options: Options;
}

export interface ParsedField {
  readonly name: string;
  readonly number: number;
  /** As written: a scalar, or the name of a message or enum, which may be relative. */
  readonly type: string;
  readonly label: 'optional' | 'required' | 'repeated' | null;
  readonly oneof: string | null;
  readonly group: boolean;
  readonly options: Options;
}

export interface ParsedEnum {
  readonly name: string;
  readonly values: readonly (readonly [string, number])[];
  readonly options: Options;
}

interface Body {
  fields: ParsedField[];
  oneofs: string[];
  messages: ParsedMessage[];
  enums: ParsedEnum[];
  options: Option[];
}

const MOST_FIELD_NUMBER = 536_870_911;
/** Declarations that messages may hold, too. */
const NESTED: ReadonlySet<string> = new Set(['message', 'enum', 'extend', 'option']);
const LABELS: ReadonlySet<string> = new Set(['optional', 'required', 'repeated']);

/** @param count of declarations, which the caller bounds over several files */
export function parseProto(text: string, count: { declarations: number }): ParsedFile {
  return new ProtoParser(new ProtoTokens(text), count).file();
}

class ProtoParser {
  private depth = 0;

  constructor(
    private readonly tokens: ProtoTokens,
    private readonly count: { declarations: number },
  ) {}

  file(): ParsedFile {
    const { tokens } = this;
    let syntax: ParsedFile['syntax'] = 'proto2';
    let packageName = '';
    const imports: string[] = [];
    const body = emptyBody();
    for (;;) {
      const token = tokens.next();
      if (token.kind === 'end') break;
      if (token.kind === 'symbol' && token.text === ';') continue;
      if (token.kind !== 'word') throw unexpected(token);
      switch (token.text) {
        case 'syntax':
          syntax = this.syntax();
          break;
        case 'edition':
          expectSymbol(tokens, '=');
          this.text();
          expectSymbol(tokens, ';');
          syntax = 'editions';
          break;
        case 'package':
          packageName = expectWord(tokens);
          expectSymbol(tokens, ';');
          break;
        case 'import':
          if (tokens.peek().kind === 'word') tokens.next();
          imports.push(this.text());
          expectSymbol(tokens, ';');
          break;
        case 'service':
          tokens.next();
          this.skipBlock();
          break;
        default:
          this.declaration(token, body);
      }
    }
    return { syntax, package: packageName, imports, ...body };
  }

  private syntax(): 'proto2' | 'proto3' {
    expectSymbol(this.tokens, '=');
    const text = this.text();
    expectSymbol(this.tokens, ';');
    if (text !== 'proto2' && text !== 'proto3')
      throw schemaError(`The schema has an unknown syntax: "${text.slice(0, 40)}".`);
    return text;
  }

  /** What may stand in a file and in a message. */
  private declaration(token: Token, body: Body): void {
    switch (token.text) {
      case 'message':
        body.messages.push(this.message(expectWord(this.tokens)));
        return;
      case 'enum':
        body.enums.push(this.enum());
        return;
      case 'option':
        body.options.push(readOption(this.tokens));
        expectSymbol(this.tokens, ';');
        return;
      case 'extend':
        // Fields of extensions are unknown fields to the converter.
        expectWord(this.tokens);
        this.fieldsOfBlock({ ...emptyBody(), messages: body.messages }, null);
        return;
      default:
        throw unexpected(token);
    }
  }

  private message(name: string): ParsedMessage {
    this.declared();
    if (++this.depth > MOST_NESTING)
      throw schemaError(`The messages of the schema are nested more than ${MOST_NESTING} times.`);
    const { tokens } = this;
    const body = emptyBody();
    expectSymbol(tokens, '{');
    while (!takeSymbol(tokens, '}')) {
      if (takeSymbol(tokens, ';')) continue;
      const token = tokens.next();
      if (token.kind !== 'word') throw unexpected(token);
      const { text } = token;
      const next = tokens.peek();
      if (NESTED.has(text)) this.declaration(token, body);
      else if (text === 'oneof' && next.kind === 'word') this.oneof(body);
      else if (text === 'reserved' || (text === 'extensions' && next.kind !== 'word')) this.skipStatement();
      else this.field(token, body, null);
    }
    this.depth--;
    return { name, ...body };
  }

  private oneof(body: Body): void {
    this.declared();
    const name = expectWord(this.tokens);
    body.oneofs.push(name);
    this.fieldsOfBlock(body, name);
  }

  private fieldsOfBlock(body: Body, oneof: string | null): void {
    const { tokens } = this;
    expectSymbol(tokens, '{');
    while (!takeSymbol(tokens, '}')) {
      if (takeSymbol(tokens, ';')) continue;
      const token = tokens.next();
      if (token.kind !== 'word') throw unexpected(token);
      if (token.text === 'option' && oneof !== null && tokens.peek().text !== '=') {
        readOption(tokens);
        expectSymbol(tokens, ';');
      } else this.field(token, body, oneof);
    }
  }

  private field(first: Token, body: Body, oneof: string | null): void {
    this.declared();
    const { tokens } = this;
    let label: ParsedField['label'] = null;
    let type = first.text;
    if (LABELS.has(type) && tokens.peek().kind === 'word') {
      label = type as 'optional';
      type = expectWord(tokens);
    }
    if (type === 'map' && takeSymbol(tokens, '<')) {
      this.mapField(body);
      return;
    }
    const name = expectWord(tokens);
    expectSymbol(tokens, '=');
    const number = this.fieldNumber();
    const options = readFieldOptions(tokens);
    if (type === 'group' && tokens.peek().text === '{') {
      body.messages.push(this.message(name));
      body.fields.push({ name: name.toLowerCase(), number, type: name, label, oneof, group: true, options });
      return;
    }
    expectSymbol(tokens, ';');
    body.fields.push({ name, number, type, label, oneof, group: false, options });
  }

  /** As in descriptors: a repeated message of the entries. */
  private mapField(body: Body): void {
    const { tokens } = this;
    const key = expectWord(tokens);
    expectSymbol(tokens, ',');
    const value = expectWord(tokens);
    expectSymbol(tokens, '>');
    const name = expectWord(tokens);
    expectSymbol(tokens, '=');
    const number = this.fieldNumber();
    const options = readFieldOptions(tokens);
    expectSymbol(tokens, ';');
    // No name in a schema has a blank.
    const entry = `${name} entry`;
    const part = (of: string, at: number, type: string): ParsedField => {
      return { name: of, number: at, type, label: null, oneof: null, group: false, options: [] };
    };
    const mapEntry: Option = { name: 'map_entry', value: { kind: 'one', text: 'true', bytes: null } };
    body.messages.push({
      name: entry,
      fields: [part('key', 1, key), part('value', 2, value)],
      oneofs: [],
      messages: [],
      enums: [],
      options: [mapEntry],
    });
    body.fields.push({ name, number, type: entry, label: 'repeated', oneof: null, group: false, options });
  }

  private enum(): ParsedEnum {
    this.declared();
    const { tokens } = this;
    const name = expectWord(tokens);
    const values: [string, number][] = [];
    const options: Option[] = [];
    expectSymbol(tokens, '{');
    while (!takeSymbol(tokens, '}')) {
      if (takeSymbol(tokens, ';')) continue;
      const word = expectWord(tokens);
      const next = tokens.peek();
      if (word === 'option' && next.text !== '=') {
        options.push(readOption(tokens));
        expectSymbol(tokens, ';');
      } else if (word === 'reserved' && next.text !== '=') this.skipStatement();
      else {
        this.declared();
        expectSymbol(tokens, '=');
        const sign = takeSymbol(tokens, '-') ? -1 : 1;
        const number = sign * this.integer();
        if (number !== (number | 0)) throw schemaError(`The value ${word} of the enum ${name} is not an int32.`);
        readFieldOptions(tokens);
        expectSymbol(tokens, ';');
        values.push([word, number + 0]);
      }
    }
    return { name, values, options };
  }

  private fieldNumber(): number {
    const { line } = this.tokens.peek();
    const number = this.integer();
    if (number < 1 || number > MOST_FIELD_NUMBER)
      throw schemaError(`The field number in line ${line} of the schema is not from 1 to ${MOST_FIELD_NUMBER}.`);
    return number;
  }

  private integer(): number {
    const token = this.tokens.next();
    if (token.kind !== 'number' || !/^(0[xX][0-9A-Fa-f]+|[0-9]+)$/.test(token.text)) throw unexpected(token);
    return /^0[0-7]+$/.test(token.text) ? parseInt(token.text, 8) : Number(token.text);
  }

  private text(): string {
    const token = this.tokens.next();
    if (token.kind !== 'text') throw unexpected(token);
    return token.text;
  }

  /** Up to its `;`. */
  private skipStatement(): void {
    const { tokens } = this;
    for (;;) {
      const token = tokens.next();
      if (token.kind === 'end') throw unexpected(token);
      if (token.kind === 'symbol' && token.text === ';') return;
    }
  }

  private skipBlock(): void {
    const { tokens } = this;
    expectSymbol(tokens, '{');
    for (let open = 1; open > 0;) {
      const token = tokens.next();
      if (token.kind === 'end') throw unexpected(token);
      if (token.kind === 'symbol') open += token.text === '{' ? 1 : token.text === '}' ? -1 : 0;
    }
  }

  private declared(): void {
    if (++this.count.declarations > MOST_DECLARATIONS)
      throw schemaError(`The schema declares more than ${MOST_DECLARATIONS} fields, types and values of enums.`);
  }
}

function emptyBody(): Body {
  return { fields: [], oneofs: [], messages: [], enums: [], options: [] };
}
