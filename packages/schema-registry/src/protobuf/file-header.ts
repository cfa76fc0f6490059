/** What the parser does not tell of a file: its syntax, and how it imports. */
import { InvalidSchema } from '../registry-error';
import { tokensOf } from './tokens';

export interface Import {
  readonly path: string;
  readonly kind: 'plain' | 'public' | 'weak';
}

export interface FileHeader {
  /** `proto2`, `proto3`, or the year of an edition. */
  readonly syntax: string;
  readonly imports: readonly Import[];
}

/** @param text a valid one */
export function readHeader(text: string): FileHeader {
  let syntax = 'proto2';
  const imports: Import[] = [];
  let depth = 0;
  let statement: string[] = [];
  for (const token of tokensOf(text)) {
    if (token === '{') depth++;
    else if (token === '}') depth--;
    else if (depth > 0) continue;
    else if (token !== ';') {
      // Longer ones are none of these, except for texts in parts.
      if (statement.length < 100) statement.push(token);
      continue;
    }
    const [keyword, ...rest] = statement;
    statement = [];
    if (keyword === 'syntax' || keyword === 'edition') syntax = unquoted(rest);
    if (keyword !== 'import' || rest[0] === 'option') continue;
    const kind = rest[0] === 'public' || rest[0] === 'weak' ? rest[0] : 'plain';
    imports.push({ path: unquoted(rest), kind });
  }
  return { syntax, imports };
}

function unquoted(tokens: readonly string[]): string {
  const parts = tokens.filter((token) => /^["']/.test(token)).map((token) => token.slice(1, -1));
  if (parts.some((part) => part.includes('\\'))) throw new InvalidSchema('an import has a name with a backslash');
  return parts.join('');
}
