/**
 * `sasl.jaas.config` is Java's syntax: `LoginModuleClass required key="value" other='x';`. Values may be bare or
 * quoted, quoted ones with backslash escapes. Source: kafka-client §3.
 */
import { invalid } from '../client-settings';

export interface JaasEntry {
  /** Class name of the login module. */
  readonly loginModule: string;
  readonly options: Readonly<Record<string, string>>;
}

const KEY = 'sasl.jaas.config';
const FLAGS = ['required', 'requisite', 'sufficient', 'optional'];
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

type Token = { kind: 'word' | 'quoted'; text: string } | { kind: '=' | ';' };

/** Throws KafkaError INVALID_CLIENT_CONFIG; the message never repeats any value. */
export function parseJaasConfig(source: string): JaasEntry {
  const tokens = tokenize(source);
  let at = 0;
  const next = (): Token | undefined => tokens[at++];

  const loginModule = next();
  if (loginModule?.kind !== 'word') throw invalid(KEY, 'must start with the class name of a login module');
  const flag = next();
  if (flag?.kind !== 'word' || !FLAGS.includes(flag.text.toLowerCase())) {
    throw invalid(KEY, `needs one of ${FLAGS.join(', ')} after the class name`);
  }
  const options: Record<string, string> = {};
  for (;;) {
    const key = next();
    if (key === undefined) throw invalid(KEY, "must end with ';'");
    if (key.kind === ';') break;
    if (key.kind !== 'word' && key.kind !== 'quoted') throw invalid(KEY, "has an '=' without a name before it");
    if (next()?.kind !== '=')
      throw invalid(KEY, "has an option without '=' after its name; a value with blanks needs quotes");
    const value = next();
    if (value?.kind !== 'word' && value?.kind !== 'quoted')
      throw invalid(KEY, `has no value for the option '${key.text}'`);
    options[key.text] = value.text;
  }
  if (at < tokens.length) throw invalid(KEY, 'must hold exactly one login module');
  return { loginModule: loginModule.text, options };
}

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const char = source[at] as string;
    if (/\s/.test(char)) {
      at++;
    } else if (char === '=' || char === ';') {
      tokens.push({ kind: char });
      at++;
    } else if (char === '"' || char === "'") {
      let value = '';
      at++;
      while (source[at] !== char) {
        if (at >= source.length) throw invalid(KEY, 'has a quotation mark that is never closed');
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
      while (at < source.length && !/[\s=;"']/.test(source[at] as string)) at++;
      tokens.push({ kind: 'word', text: source.slice(start, at) });
    }
  }
  return tokens;
}
