/**
 * Parses YAML and JSON, which YAML contains, into texts, arrays and mappings. Scalars keep their text: `1.10` stays
 * `1.10`. The parser needs exponential time for some nested texts, so that its tokens are checked before. It
 * calls itself for nested values, and V8 ends the process if a regular expression is compiled with a full stack.
 */
import { CST, isScalar, Lexer, parseAllDocuments, visit, type Document } from 'yaml';

const DEEPEST = 10;
const WIDEST_INDENTATION = 200;
const MOST_TOKENS = 500_000;
const MOST_ANCHORS = 100;
const MOST_ALIASES = 100;

/** The documents of the text, without empty ones. @throws Error with a reason and the line */
export function parseYaml(text: string): unknown[] {
  checkTokens(text);
  const documents = parseAllDocuments(text, {
    schema: 'failsafe',
    customTags: ['null', 'merge'],
    merge: true,
    // Its check takes time squared; see `checkKeys`.
    uniqueKeys: false,
    logLevel: 'silent',
  });
  return (documents as Document.Parsed[]).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new Error((error.message.split('\n')[0] as string).replace(/:$/, ''));
    checkKeys(document, text);
    const value = document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown;
    return value === null ? [] : [value];
  });
}

function checkTokens(text: string): void {
  let line = 1;
  let depth = 0;
  let tokens = 0;
  let anchors = 0;
  /** `- - - a` nests three lists in one line. */
  let itemsInLine = 0;
  let isStartOfLine = true;
  const fail = (reason: string): never => {
    throw new Error(`${reason} at line ${line}`);
  };
  for (const token of new Lexer().lex(text)) {
    if (++tokens > MOST_TOKENS) fail('There are too many values');
    const type = CST.tokenType(token);
    if (type === 'newline') line++;
    if (type === 'newline') itemsInLine = 0;
    else if (type === 'seq-item-ind') itemsInLine++;
    else if (type === 'space' && isStartOfLine && token.length > WIDEST_INDENTATION)
      fail(`The indentation is wider than ${WIDEST_INDENTATION} columns`);
    isStartOfLine = type === 'newline';
    if (itemsInLine > DEEPEST) fail(`Values are nested more than ${DEEPEST} deep`);
    if (type === 'explicit-key-ind') fail('Keys that begin with "? " are not supported');
    else if (type === 'flow-map-start' || type === 'flow-seq-start') depth++;
    else if (type === 'flow-map-end' || type === 'flow-seq-end') depth = Math.max(depth - 1, 0);
    else if (type === 'anchor') anchors++;
    if (depth > DEEPEST) fail(`Values are nested more than ${DEEPEST} deep`);
    if (anchors > MOST_ANCHORS) fail(`There are more than ${MOST_ANCHORS} anchors`);
  }
}

function checkKeys(document: Document.Parsed, text: string): void {
  visit(document, {
    Map: (_, map) => {
      const keys = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) throw new Error('A key is not a text');
        if (keys.has(key.value) && key.value !== '<<') {
          const line = text.slice(0, key.range?.[0]).split('\n').length;
          throw new Error(`The key "${String(key.value)}" occurs twice, the second time at line ${line}`);
        }
        keys.add(key.value);
      }
    },
  });
}
