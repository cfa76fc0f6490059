/**
 * The content of a log line as plain data, redacted and bounded. Created in the thread that logs, so that a task pays
 * for its own lines.
 */
import { isError, type Owners, redact, redactText, TEXT_LIMIT } from '@millrace/texts/redaction';
import { ownersOf } from './line-subject';

type Fields = Readonly<Record<string, unknown>>;

export interface PrintableLine {
  readonly message: string;
  readonly fields: Fields;
  /** Stacks of the errors among the fields. */
  readonly stacks: readonly string[];
}

/** All stacks of a line together. Characters. */
const STACKS_LIMIT = 8192;
/**
 * Marks the fields of a printable line and holds its stacks. Symbols are not cloned between threads, so other code
 * cannot set it.
 */
const STACKS = Symbol('stacks');

export function printableLine(message: string, fields: Fields): PrintableLine {
  const made = (fields as { readonly [STACKS]?: readonly string[] })[STACKS];
  if (made) return { message, fields, stacks: made };
  const owners = ownersOf(fields);
  return {
    message: redactText(message, TEXT_LIMIT, owners),
    fields: redact(fields, owners) as Fields,
    stacks: stacksOf(fields, owners),
  };
}

/** Fields to log a line that another thread has made printable. */
export function printableFields({ fields, stacks }: PrintableLine): Fields {
  return { ...fields, [STACKS]: stacks };
}

function stacksOf(fields: Fields, owners: Owners): string[] {
  const stacks: string[] = [];
  let left = STACKS_LIMIT;
  for (const field of Object.values(fields)) {
    if (left <= 0 || !isError(field) || typeof field.stack !== 'string' || field.stack === '') continue;
    const stack = boundedStack(field.stack, field.message, left, owners);
    left -= stack.length;
    stacks.push(stack);
  }
  return stacks;
}

/** Redacts message and frames separately, so that a long message leaves room for the frames. */
function boundedStack(stack: string, message: unknown, limit: number, owners: Owners): string {
  const at = typeof message === 'string' && message !== '' ? stack.indexOf(message) : -1;
  const end = at < 0 ? 0 : at + (message as string).length;
  const head = redactText(stack.slice(0, end), TEXT_LIMIT, owners);
  return head + redactText(stack.slice(end), Math.max(0, limit - head.length), owners);
}
