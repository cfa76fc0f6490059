/** A .proto text without comments and with white space of one kind: the same for texts with the same meaning. */

import { tokensOf } from './tokens';

const INDENT = '  ';
const NO_SPACE_BEFORE = new Set([';', ',', ')', ']', '>', '<']);
const NO_SPACE_AFTER = new Set(['(', '[', '<', '-']);

export function printProto(text: string): string {
  let printed = '';
  let depth = 0;
  let last = '';
  for (const token of tokensOf(text)) {
    if (token === '}') depth = Math.max(0, depth - 1);
    printed += separator(last, token, depth) + token;
    if (token === '{') depth++;
    last = token;
  }
  return printed === '' ? '' : `${printed}\n`;
}

function separator(last: string, token: string, depth: number): string {
  if (last === '') return '';
  if (last === '{' || token === '}' || last === ';') return `\n${INDENT.repeat(depth)}`;
  if (NO_SPACE_BEFORE.has(token)) return '';
  if (last === '}') return `\n${INDENT.repeat(depth)}`;
  if (NO_SPACE_AFTER.has(last) || (last === ')' && token.startsWith('.'))) return '';
  return ' ';
}
