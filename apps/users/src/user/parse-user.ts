import { emailProblem, nameProblem, type User } from './user';

/** A request body that is not a user. The message is sent to the client and quotes nothing of the body. */
export class BadUserError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadUserError';
  }
}

// A byte order mark is not valid JSON. `ignoreBOM` keeps it in the text, so that parsing rejects it.
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads `{"email":…,"name":…}`; other members are dropped. @throws BadUserError */
export function parseUser(body: Uint8Array): User {
  const value = parseObject(body);
  const email = requiredText(value, 'email');
  const badEmail = emailProblem(email);
  if (badEmail) throw new BadUserError(`invalid email: ${badEmail}`);
  const name = requiredText(value, 'name');
  const badName = nameProblem(name);
  if (badName) throw new BadUserError(`invalid name: ${badName}`);
  return { email, name };
}

function parseObject(body: Uint8Array): Record<string, unknown> {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadUserError('invalid JSON body: not an object');
  return value as Record<string, unknown>;
}

function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) throw new BadUserError('invalid JSON body: empty');
  let text;
  try {
    text = UTF8.decode(body);
  } catch {
    throw new BadUserError('invalid JSON body: not UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body.
    throw new BadUserError('invalid JSON body: not JSON');
  }
}

function requiredText(value: Record<string, unknown>, member: 'email' | 'name'): string {
  const text = (Object.hasOwn(value, member) ? value[member] : null) ?? '';
  if (typeof text !== 'string') throw new BadUserError(`${member} must be a string`);
  if (text.trim() === '') throw new BadUserError(`${member} is required`);
  return text;
}
