/**
 * Java's syntax for login modules: `LoginModuleClass required key="value" other='x';`. Values may be bare or quoted,
 * quoted ones with backslash escapes. Pure. Source: kafka-client §3.
 */

export interface JaasEntry {
  /** Class name of the login module. */
  readonly loginModule: string;
  readonly options: Readonly<Record<string, string>>;
}

/** Creates the error for a problem; the text never repeats any value. */
type JaasError = (problem: string) => Error;

const FLAGS = ['required', 'requisite', 'sufficient', 'optional'];
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };
const WORD_END = /[\s=;"']/;
const WORD_END_IN_FILE = /[\s=;"'{}]/;

/** The single login module of `sasl.jaas.config`. Throws an error of `invalid`, which never repeats any value. */
export function parseJaasConfig(source: string, invalid: JaasError): JaasEntry {
  const tokens = new JaasTokens(source, invalid);
  const entry = tokens.entry();
  if (!tokens.isAtEnd) throw invalid('must hold exactly one login module');
  return entry;
}

/**
 * Login modules by section of a JAAS file, `Name { LoginModuleClass required key="value"; … };`, in their order. Throws
 * an error of `invalid`, which never repeats any value.
 */
export function parseJaasFile(source: string, invalid: JaasError): ReadonlyMap<string, readonly JaasEntry[]> {
  const tokens = new JaasTokens(source.replace(/^\uFEFF/, ''), invalid, true);
  const sections = new Map<string, readonly JaasEntry[]>();
  while (!tokens.isAtEnd) {
    const name = tokens.next();
    if (name?.kind !== 'word' && name?.kind !== 'quoted') throw invalid('must start with the name of a section');
    if (sections.has(name.text)) throw invalid(`has the section ${name.text} twice`);
    if (tokens.next()?.kind !== '{') throw invalid(`needs '{' after the name of the section ${name.text}`);
    const entries: JaasEntry[] = [];
    while (tokens.kind !== '}') {
      if (tokens.isAtEnd) throw invalid(`does not close the section ${name.text} with '};'`);
      entries.push(tokens.entry());
    }
    tokens.next();
    if (tokens.next()?.kind !== ';') throw invalid(`needs ';' after the '}' of the section ${name.text}`);
    sections.set(name.text, entries);
  }
  return sections;
}

type JaasToken = { kind: 'word' | 'quoted'; text: string } | { kind: '=' | ';' | '{' | '}' };

class JaasTokens {
  private at = 0;
  private readonly tokens: readonly JaasToken[];

  /** @param isFile sections in braces and comments, as in a JAAS file */
  constructor(
    source: string,
    private readonly invalid: JaasError,
    isFile = false,
  ) {
    this.tokens = tokenize(source, invalid, isFile);
  }

  get isAtEnd(): boolean {
    return this.at >= this.tokens.length;
  }
  /** Null at the end. */
  get kind(): JaasToken['kind'] | null {
    return this.tokens[this.at]?.kind ?? null;
  }
  next(): JaasToken | undefined {
    return this.tokens[this.at++];
  }

  /** Reads a login module with its options, up to its semicolon. */
  entry(): JaasEntry {
    const loginModule = this.next();
    if (loginModule?.kind !== 'word') throw this.invalid('must start with the class name of a login module');
    const flag = this.next();
    if (flag?.kind !== 'word' || !FLAGS.includes(flag.text.toLowerCase())) {
      throw this.invalid(`needs one of ${FLAGS.join(', ')} after the class name`);
    }
    const options = new Map<string, string>();
    for (;;) {
      const key = this.next();
      if (key === undefined) throw this.invalid("must end with ';'");
      if (key.kind === ';') return { loginModule: loginModule.text, options: Object.fromEntries(options) };
      if (key.kind !== 'word' && key.kind !== 'quoted')
        throw this.invalid(`has an '${key.kind}' without a name before it`);
      if (this.next()?.kind !== '=')
        throw this.invalid("has an option without '=' after its name; a value with blanks needs quotes");
      const value = this.next();
      if (value?.kind !== 'word' && value?.kind !== 'quoted')
        throw this.invalid(`has no value for the option '${key.text}'`);
      options.set(key.text, value.text);
    }
  }
}

function tokenize(source: string, invalid: JaasError, isFile: boolean): JaasToken[] {
  const tokens: JaasToken[] = [];
  const wordEnd = isFile ? WORD_END_IN_FILE : WORD_END;
  let at = 0;
  while (at < source.length) {
    const char = source[at] as string;
    if (/\s/.test(char)) {
      at++;
    } else if (isFile && /^\/[/*]/.test(source.slice(at, at + 2))) {
      const isBlock = source[at + 1] === '*';
      const end = source.indexOf(isBlock ? '*/' : '\n', at + 2);
      if (isBlock && end < 0) throw invalid('has a comment that is never closed');
      at = end < 0 ? source.length : end + (isBlock ? 2 : 1);
    } else if (char === '=' || char === ';' || (isFile && (char === '{' || char === '}'))) {
      tokens.push({ kind: char });
      at++;
    } else if (char === '"' || char === "'") {
      let value = '';
      at++;
      while (source[at] !== char) {
        if (at >= source.length) throw invalid('has a quotation mark that is never closed');
        if (source[at] === '\\' && at + 1 < source.length) {
          const octal = /^(?:[0-3][0-7]{0,2}|[4-7][0-7]?)/.exec(source.slice(at + 1, at + 4))?.[0];
          const escaped = source[at + 1] as string;
          value += octal === undefined ? (ESCAPES[escaped] ?? escaped) : String.fromCharCode(parseInt(octal, 8));
          at += 1 + (octal ?? escaped).length;
        } else {
          value += source[at++];
        }
      }
      at++;
      tokens.push({ kind: 'quoted', text: value });
    } else {
      const start = at;
      while (at < source.length && !wordEnd.test(source[at] as string)) at++;
      tokens.push({ kind: 'word', text: source.slice(start, at) });
    }
  }
  return tokens;
}
