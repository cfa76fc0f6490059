/**
 * The contents of a log line as they may be shown: redacted, bounded, plain data. Made in the thread that logs, since
 * that takes time: a task's lines are the work of its own thread.
 */
import { isError, redact, redactText } from './redact';

type Fields = Readonly<Record<string, unknown>>;

export interface PrintableLine {
  readonly message: string;
  readonly fields: Fields;
  /** Of the errors among the fields. */
  readonly stacks: readonly string[];
}

/** All stacks of a line together. Characters. */
const STACKS_LIMIT = 8192;
/**
 * Says that fields are those of a printable line, and holds its stacks. Symbols cross no thread: nobody else can say
 * so.
 */
const STACKS = Symbol('stacks');

export function printableLine(message: string, fields: Fields): PrintableLine {
  const made = (fields as { readonly [STACKS]?: readonly string[] })[STACKS];
  if (made) return { message, fields, stacks: made };
  return { message: redactText(message), fields: redact(fields) as Fields, stacks: stacksOf(fields) };
}

/** Fields for a logger, for a line that another thread has made printable. */
export function printableFields({ fields, stacks }: PrintableLine): Fields {
  return { ...fields, [STACKS]: stacks };
}

function stacksOf(fields: Fields): string[] {
  const stacks: string[] = [];
  let left = STACKS_LIMIT;
  for (const field of Object.values(fields)) {
    if (left <= 0 || !isError(field) || typeof field.stack !== 'string' || field.stack === '') continue;
    const stack = boundedStack(field.stack, field.message, left);
    left -= stack.length;
    stacks.push(stack);
  }
  return stacks;
}

/** The message, which may be long, takes no room from the frames behind it. */
function boundedStack(stack: string, message: unknown, limit: number): string {
  const at = typeof message === 'string' && message !== '' ? stack.indexOf(message) : -1;
  const end = at < 0 ? 0 : at + (message as string).length;
  const head = redactText(stack.slice(0, end));
  return head + redactText(stack.slice(end), Math.max(0, limit - head.length));
}
