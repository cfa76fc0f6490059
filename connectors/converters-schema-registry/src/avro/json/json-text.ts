/** JSON text as Jackson writes it. */
import { JsonNumber, type JsonTree } from './json-tree';

const SHORT = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
// eslint-disable-next-line no-control-regex
const ESCAPED = /["\\\u0000-\u001f]/g;

export function quote(text: string): string {
  return `"${text.replace(ESCAPED, escape)}"`;
}

function escape(character: string): string {
  return SHORT.get(character) ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

export function jsonText(tree: JsonTree): string {
  if (tree === null) return 'null';
  if (typeof tree === 'string') return quote(tree);
  if (typeof tree === 'boolean') return String(tree);
  if (tree instanceof JsonNumber) return tree.text;
  if (tree instanceof Map) return `{${membersText(tree as ReadonlyMap<string, JsonTree>)}}`;
  return `[${(tree as readonly JsonTree[]).map(jsonText).join(',')}]`;
}

/** Without the braces. */
export function membersText(members: ReadonlyMap<string, JsonTree>): string {
  return [...members].map(([name, value]) => `${quote(name)}:${jsonText(value)}`).join(',');
}
