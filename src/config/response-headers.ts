/**
 * `response.http.headers.config`: rules for headers of every response. Pure. Sources: connect-rest §0.5, error texts of
 * Connect 4.3.1.
 */
export interface HeaderRule {
  /** `set` replaces existing values, `add` adds a value. */
  readonly action: 'set' | 'add';
  readonly name: string;
  /** A text. For dates, milliseconds to add to the time of the response. */
  readonly value: string | number;
}

const ACTIONS = ['set', 'add', 'setDate', 'addDate'];
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const BAD_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Splits at commas. Only quotes around a whole rule count. A trailing comma is ignored. */
function split(text: string): string[] {
  // The text is the administrator's and is parsed once.
  // eslint-disable-next-line regexp/no-super-linear-backtracking, regexp/no-super-linear-move
  const rules = [...text.matchAll(/\s*(?:"([^"]*)"?|([^,]*))\s*(?:,|$)/g)]
    .map((match) => (match[1] ?? match[2] ?? '').trim())
    // The pattern also matches the empty string at the end of the text.
    .slice(0, -1);
  return rules.length === 0 ? [''] : rules;
}

function parseRule(rule: string): HeaderRule {
  const [, word, rest] = /^(\S+)\s(.*)$/s.exec(rule) ?? [];
  const pair = rest?.trimStart();
  if (word === undefined || pair === undefined) {
    throw new Error(`Invalid format of header config '${rule}'. Expected: '[action] [header name]:[header value]'`);
  }
  const action = ACTIONS.find((known) => known.toLowerCase() === word.toLowerCase());
  if (action === undefined) {
    throw new Error(`Invalid header config action: '${word}'. Expected one of [${ACTIONS.join(', ')}]`);
  }
  const [name = '', value = '', ...more] = pair.split(':').map((part) => part.trim());
  if (value === '' || more.length > 0) {
    throw new Error(
      `Invalid format of header name and header value pair '${pair}'. Expected: '[header name]:[header value]'`,
    );
  }
  if (name === '' || /\s/.test(name)) {
    throw new Error(`Invalid header name '${name}'. The '[header name]' cannot contain whitespace`);
  }
  // Java accepts the following at startup, and then fails to send each response.
  if (!TOKEN.test(name)) throw new Error(`Invalid header name '${name}'. HTTP does not allow some of its characters`);
  if (BAD_VALUE.test(value)) throw new Error(`Invalid value of header ${name}. HTTP allows Latin-1 characters only`);
  const dated = action.endsWith('Date');
  if (dated && !/^[+-]?\d{1,15}$/.test(value)) {
    throw new Error(`Invalid value '${value}' of header ${name}. ${action} requires milliseconds from now`);
  }
  return { action: action.startsWith('set') ? 'set' : 'add', name, value: dated ? Number(value) : value };
}

/** Throws an Error whose message is only the reason. */
export function parseHeaderRules(text: string): HeaderRule[] {
  return text.trim() === '' ? [] : split(text.trim()).map(parseRule);
}
