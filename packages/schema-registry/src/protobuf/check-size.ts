/** Bounds what the parser takes long for: its time grows with the square of the fields of a message. */
import { InvalidSchema } from '../registry-error';
import { tokensOf } from './tokens';

/** Fields, options and reserved numbers of a message. */
const MAX_PARTS = 2_000;

/** Throws InvalidSchema. */
export function checkSize(text: string): void {
  /** Of each block that is open, how many parts it has; null: an enum, which may have any number. */
  const blocks: (number | null)[] = [0];
  let [name, keyword] = ['', ''];
  for (const token of tokensOf(text)) {
    if (token === '{') blocks.push(keyword === 'message' ? 0 : keyword === 'enum' ? null : (blocks.at(-1) ?? null));
    else if (token === '}') {
      const parts = blocks.pop() ?? null;
      // Of a oneof, for example, whose fields are the message's.
      const outer = blocks.at(-1);
      if (blocks.length === 0) blocks.push(0);
      else if (parts !== null && outer != null && parts > outer) blocks[blocks.length - 1] = parts;
    } else if (token === '=' || token === ',') {
      const parts = blocks.at(-1);
      if (parts != null && (blocks[blocks.length - 1] = parts + 1) > MAX_PARTS)
        throw new InvalidSchema(`a message has more than ${MAX_PARTS} fields, options and reserved numbers`);
    }
    [keyword, name] = [name, token];
  }
}
