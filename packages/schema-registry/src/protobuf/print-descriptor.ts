/** The text of a descriptor: what a .proto file with the same meaning says. */
import { InvalidSchema } from '../registry-error';
import { printOptions, quoted } from './descriptor-options';
import type { EnumProto, FieldProto, FileProto, MessageProto, Range, ServiceProto } from './descriptor-proto';

const NAME = /^[A-Za-z_]\w*$/;
const DOTTED = /^\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;
/** A name of a type that begins with one of these means something else. */
const KEYWORDS = new Set(
  (
    'message enum extend extensions reserved option oneof optional required repeated map group export local rpc stream ' +
    'double float int32 uint32 sint32 fixed32 sfixed32 int64 uint64 sint64 fixed64 sfixed64 bool string bytes'
  ).split(' '),
);
/** As the parser of texts. */
const MAX_DEPTH = 32;
const MAX_NAME = 500;
const MAX_NUMBER = 2 ** 29 - 1;
const MAX_ENUM_NUMBER = 2 ** 31 - 1;

/**
 * Throws InvalidSchema.
 *
 * @param short types by the shortest name that is likely to mean them; otherwise by their full one
 */
export function printDescriptor(file: FileProto, short: boolean): string {
  return new Printer(file, short).text();
}

/** Messages in a message, by their full names. */
type Nested = ReadonlyMap<string, MessageProto>;

class Printer {
  private depth = 0;
  private readonly lines: string[] = [];

  constructor(
    private readonly file: FileProto,
    private readonly short: boolean,
  ) {}

  text(): string {
    const { file, lines } = this;
    const syntax = syntaxOf(file);
    if (syntax === 'editions') lines.push(`edition = ${quoted((file.edition ?? '').replace('EDITION_', ''))};`);
    else lines.push(`syntax = "${syntax}";`);
    const scope = file.package ?? '';
    if (scope !== '') lines.push(`package ${dotted(scope)};`);
    const [publics, weak] = [new Set(file.publicDependency), new Set(file.weakDependency)];
    for (const [index, path] of (file.dependency ?? []).entries())
      lines.push(`import ${publics.has(index) ? 'public ' : weak.has(index) ? 'weak ' : ''}${quoted(path)};`);
    this.options(printOptions('FileOptions', file.options));
    for (const one of file.enumType ?? []) this.enum(one);
    const groups = groupsOf(file.extension ?? []);
    for (const one of file.messageType ?? [])
      if (!groups.has(nameOf(one))) this.message(one, scope, `message ${nameOf(one)} {`);
    const nested = new Map((file.messageType ?? []).map((one) => [`.${joined(scope, nameOf(one))}`, one]));
    this.extensions(file.extension, scope, nested);
    for (const one of file.service ?? []) this.service(one, scope);
    return `${lines.join('\n')}\n`;
  }

  private message(message: MessageProto, outer: string, opening: string): void {
    if (++this.depth > MAX_DEPTH) throw new InvalidSchema(`its messages are nested more than ${MAX_DEPTH} times`);
    const scope = joined(outer, nameOf(message));
    const nested = new Map((message.nestedType ?? []).map((one) => [`.${scope}.${nameOf(one)}`, one]));
    this.lines.push(opening);
    this.options(printOptions('MessageOptions', message.options));
    const names = (message.reservedName ?? []).map(quoted);
    if (names.length > 0) this.lines.push(`reserved ${names.join(', ')};`);
    this.ranges('reserved', message.reservedRange, 1, MAX_NUMBER);
    this.ranges('extensions', message.extensionRange, 1, MAX_NUMBER);
    this.fields(message, scope, nested);
    const groups = groupsOf([...(message.field ?? []), ...(message.extension ?? [])]);
    for (const one of message.enumType ?? []) this.enum(one);
    for (const one of nested.values())
      if (one.options?.mapEntry !== true && !groups.has(nameOf(one)))
        this.message(one, scope, `message ${nameOf(one)} {`);
    this.extensions(message.extension, scope, nested);
    this.lines.push('}');
    this.depth--;
  }

  /** Those of a oneof stand where its first one is. */
  private fields({ field = [], oneofDecl = [] }: MessageProto, scope: string, nested: Nested): void {
    const members = new Map<number, FieldProto[]>();
    const indexOf = ({ oneofIndex, proto3Optional }: FieldProto): number | null =>
      oneofIndex === undefined || proto3Optional === true ? null : oneofIndex;
    for (const one of field) {
      const index = indexOf(one);
      if (index === null) continue;
      const known = members.get(index);
      if (known === undefined) members.set(index, [one]);
      else known.push(one);
    }
    for (const one of field) {
      const index = indexOf(one);
      if (index === null) this.field(one, scope, nested, false);
      else if (members.has(index)) {
        const oneof = oneofDecl[index];
        if (oneof === undefined) throw new InvalidSchema(`field ${nameOf(one)} is in a oneof that is not declared`);
        this.lines.push(`oneof ${nameOf(oneof)} {`);
        this.options(printOptions('OneofOptions', oneof.options));
        for (const member of members.get(index) ?? []) this.field(member, scope, nested, true);
        this.lines.push('}');
        members.delete(index);
      }
    }
  }

  private field(field: FieldProto, scope: string, nested: Nested, inOneof: boolean): void {
    const { typeName = '', label, type = '' } = field;
    const own = nested.get(typeName);
    const options = [
      ...(field.defaultValue === undefined ? [] : [`default = ${defaultText(field)}`]),
      ...(field.jsonName === undefined || field.jsonName === jsonNameOf(field.name ?? '')
        ? []
        : [`json_name = ${quoted(field.jsonName)}`]),
      ...printOptions('FieldOptions', field.options),
    ];
    const ending = `= ${field.number ?? 0}${options.length === 0 ? '' : ` [${options.join(', ')}]`}`;
    if (own?.options?.mapEntry === true) {
      const [key, value] = ['key', 'value'].map((name) => own.field?.find((one) => one.name === name));
      if (!key || !value) throw new InvalidSchema(`the map ${nameOf(field)} has no key or no value`);
      this.lines.push(`map<${this.typeOf(key, scope)}, ${this.typeOf(value, scope)}> ${nameOf(field)} ${ending};`);
      return;
    }
    const labelText = inOneof ? '' : this.labelOf(field, label);
    if (type === 'TYPE_GROUP' && own !== undefined)
      this.message(own, scope, `${labelText}group ${nameOf(own)} ${ending} {`);
    else this.lines.push(`${labelText}${this.typeOf(field, scope)} ${nameOf(field)} ${ending};`);
  }

  private labelOf({ proto3Optional }: FieldProto, label: string | undefined): string {
    if (label === 'LABEL_REPEATED') return 'repeated ';
    if (label === 'LABEL_REQUIRED') return 'required ';
    return syntaxOf(this.file) === 'proto2' || proto3Optional === true ? 'optional ' : '';
  }

  private typeOf({ type = '', typeName = '' }: FieldProto, scope: string): string {
    if (typeName !== '') return this.named(typeName, scope);
    if (!/^TYPE_[A-Z]+\d*$/.test(type)) throw new InvalidSchema('a field has no type');
    return type.slice('TYPE_'.length).toLowerCase();
  }

  private named(name: string, scope: string): string {
    dotted(name);
    if (!this.short || !name.startsWith('.')) return name;
    const short = name.slice(1 + sharedScope(name.slice(1), scope));
    return KEYWORDS.has(short.split('.', 1)[0] ?? '') ? name : short;
  }

  private enum(type: EnumProto): void {
    this.lines.push(`enum ${nameOf(type)} {`);
    this.options(printOptions('EnumOptions', type.options));
    const names = (type.reservedName ?? []).map(quoted);
    if (names.length > 0) this.lines.push(`reserved ${names.join(', ')};`);
    this.ranges('reserved', type.reservedRange, 0, MAX_ENUM_NUMBER);
    for (const value of type.value ?? []) {
      const options = printOptions('EnumValueOptions', value.options);
      this.lines.push(
        `${nameOf(value)} = ${value.number ?? 0}${options.length === 0 ? '' : ` [${options.join(', ')}]`};`,
      );
    }
    this.lines.push('}');
  }

  /** @param beyond what `end` is more than the last number */
  private ranges(keyword: string, ranges: readonly Range[] = [], beyond: number, max: number): void {
    const texts = ranges.map(({ start = 0, end = 0 }) => {
      const last = end - beyond;
      return last === start ? String(start) : `${start} to ${last >= max ? 'max' : last}`;
    });
    if (texts.length > 0) this.lines.push(`${keyword} ${texts.join(', ')};`);
  }

  private extensions(fields: readonly FieldProto[] = [], scope: string, nested: Nested): void {
    for (const field of fields) {
      this.lines.push(`extend ${this.named(field.extendee ?? '', scope)} {`);
      this.field(field, scope, nested, false);
      this.lines.push('}');
    }
  }

  private service(service: ServiceProto, scope: string): void {
    this.lines.push(`service ${nameOf(service)} {`);
    this.options(printOptions('ServiceOptions', service.options));
    for (const method of service.method ?? []) {
      const side = (type: string | undefined, isStream: boolean | undefined): string =>
        `(${isStream === true ? 'stream ' : ''}${this.named(type ?? '', scope)})`;
      const [input, output] = [
        side(method.inputType, method.clientStreaming),
        side(method.outputType, method.serverStreaming),
      ];
      const options = printOptions('MethodOptions', method.options).map((one) => `option ${one};`);
      const ending = options.length === 0 ? ';' : ` { ${options.join(' ')} }`;
      this.lines.push(`rpc ${nameOf(method)} ${input} returns ${output}${ending}`);
    }
    this.lines.push('}');
  }

  private options(options: readonly string[]): void {
    for (const option of options) this.lines.push(`option ${option};`);
  }
}

const groupsOf = (fields: readonly FieldProto[]): ReadonlySet<string> =>
  new Set(
    fields.filter(({ type }) => type === 'TYPE_GROUP').map(({ typeName = '' }) => typeName.split('.').at(-1) ?? ''),
  );

/** How much of a name is that of the scope or of one around it, with the dot after it. */
function sharedScope(name: string, scope: string): number {
  let shared = 0;
  for (let at = 0; at <= scope.length; at++) {
    const isEnd = at === scope.length || scope[at] === '.';
    if (isEnd && name[at] === '.') shared = at + 1;
    if (at < scope.length && name[at] !== scope[at]) break;
  }
  return shared;
}

function syntaxOf({ syntax = '' }: FileProto): string {
  if (syntax === '') return 'proto2';
  if (!['proto2', 'proto3', 'editions'].includes(syntax)) throw new InvalidSchema('its syntax is unknown');
  return syntax;
}

/** Names become text: what is none would become something else. */
function nameOf({ name = '' }: { readonly name?: string }): string {
  if (name.length > MAX_NAME || !NAME.test(name)) throw new InvalidSchema(`"${name.slice(0, 100)}" is not a name`);
  return name;
}

function dotted(name: string): string {
  if (!DOTTED.test(name)) throw new InvalidSchema(`"${name.slice(0, 100)}" is not a name`);
  return name;
}

function defaultText({ type, defaultValue = '', name = '' }: FieldProto): string {
  if (type === 'TYPE_STRING') return quoted(defaultValue);
  // Escaped already.
  if (type === 'TYPE_BYTES' && /^(?:[^"\\\n]|\\[^\n])*$/.test(defaultValue)) return `"${defaultValue}"`;
  if (type === 'TYPE_BYTES' || !/^-?[\w.+-]+$/.test(defaultValue))
    throw new InvalidSchema(`the default of field ${name.slice(0, 100)} is not a value`);
  return defaultValue;
}

/** As compilers make it. */
export function jsonNameOf(name: string): string {
  return name.replace(/_+(.?)/g, (_, char: string) => char.toUpperCase());
}

const joined = (scope: string, name: string): string => (scope === '' ? name : `${scope}.${name}`);
