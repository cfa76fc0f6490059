/**
 * CORS: origins whose pages may read this worker's responses. Pure. Sources: connect-rest §0.5, runs of Connect 4.3.1.
 */
import { compileJavaRegex, matchesFully } from '@millrace/sdk';

export interface CorsSettings {
  readonly allows: (origin: string) => boolean;
  /** Returned in preflight responses. As in Java, they have no other effect. */
  readonly methods: readonly string[];
}

const DEFAULT_METHODS = ['GET', 'POST', 'HEAD'];
const PLAIN_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d+)?$/i;
/** `*` is all of them, for browsers that send no credentials. */
const METHOD = /^(?:[A-Z]+|\*)$/;

function parts(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/**
 * An origin without wildcards matches only itself. Anything else is a regular expression for the whole origin, as in
 * Java since 4.0. In Java, the dots of a plain origin match any character, too.
 */
function pattern(text: string): (origin: string) => boolean {
  if (text === '*') return () => true;
  if (PLAIN_ORIGIN.test(text)) return (origin) => origin.toLowerCase() === text.toLowerCase();
  let regex: RegExp;
  try {
    regex = compileJavaRegex(text, 'i');
  } catch (error) {
    throw new Error(`'${text}' is neither an origin nor a regular expression (${(error as Error).message})`, {
      cause: error,
    });
  }
  return (origin) => matchesFully(regex, origin);
}

/** Throws an Error whose message is only the reason. */
export function parseOrigins(text: string): ((origin: string) => boolean) | null {
  const patterns = parts(text).map(pattern);
  return patterns.length === 0 ? null : (origin) => patterns.some((matches) => matches(origin));
}

/** Throws an Error whose message is only the reason. */
export function parseCorsMethods(text: string): readonly string[] {
  const methods = parts(text);
  const invalid = methods.find((method) => !METHOD.test(method));
  if (invalid !== undefined)
    throw new Error(`'${invalid}' is not an HTTP method; use upper case, e.g. GET,POST,PUT,DELETE`);
  return methods.length === 0 ? DEFAULT_METHODS : methods;
}
