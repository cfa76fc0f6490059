/**
 * The only lists of what a secret looks like: the names of keys and fields that hold one, and the forms that secrets
 * have inside texts. Every expression runs in linear time, because texts may quote records and requests.
 */

/** Stands for a secret wherever one is not shown. */
export const HIDDEN = '[hidden]';

const NAME =
  'password|passwd|passphrase|pwd|(?<![a-z])pass|secret|token|credential|user[._-]?info|' +
  '(?:api|apim|app|access|account|private|signing|session|shared|ssl|encryption|master|secret)[._-]?key';
/** Not in texts: `key=` is a record's there, and what these contain is recognized by its own form. */
const NAME_OF_FIELD =
  '(?:^|[._-])key|sasl[._-]?jaas[._-]?config|credentials?[._-]?json|authorization|connection[._-]?string';
const SECRET_NAME = new RegExp(`(?:${NAME}|${NAME_OF_FIELD})s?$`, 'i');
const NAME_LIMIT = 128;

/** An unclosed quote hides all text after it, because the text may have been cut there. */
const DOUBLE_QUOTED = String.raw`"(?:[^"\\]|\\[^])*(?:"|\\?$)`;
const SINGLE_QUOTED = String.raw`'(?:[^'\\]|\\[^]|'')*(?:'|\\?$)`;
/** In JSON within JSON. */
const ESCAPED_QUOTES = String.raw`(?<escape>\\+)(?<quote>["'])[^]*?(?:(?<!\\)\k<escape>\k<quote>|$)`;
const UNQUOTED = String.raw`(?:\$\{[^${'$'}{}\s]*\}|[^\s,;&}"'])+`;
const QUOTED = `${DOUBLE_QUOTED}|${ESCAPED_QUOTES}|${SINGLE_QUOTED}`;

/** A block without its end may have been cut. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----(?:[^]*?-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----|[^]*)/gi;
/** After the scheme, if there is one. */
const AUTHORIZATION = /(authorization(?:\\*["'])?\s*[=:]\s*(?:\\*["'])?(?:[a-z][a-z0-9-]{0,30}\s+)?)[^\s,;&"'\\]+/gi;
/** Words that follow in sentences, and in the challenge of a server. */
const BEARER =
  /\b(bearer\s+)(?!(?:tokens?|auth\w*|credentials?|schemes?|headers?|realm|error|scope|is|was|or|and|in|of|for|to)\b)[\w.~+/=-]+/gi;
const SIGNATURE = /([?&](?:sig|signature)=)[^\s,;&"'\\]+/gi;
/** `password=…` or `"secret": "…"`, also in JAAS configs. */
const ASSIGNED = new RegExp(String.raw`((?:${NAME})s?(?:\\*["'])?\s*[=:]\s*)(?:${QUOTED}|${UNQUOTED})`, 'gi');
/** SQL: `ALTER ROLE r PASSWORD 'x'` */
const SQL_PASSWORD = new RegExp(
  String.raw`(\bpassword\s+)(?:(?:[en]|u&)?(?:${QUOTED})|\$(?<tag>\w*)\$(?:[^]*?\$\k<tag>\$|[^]*))`,
  'gi',
);
/** Up to the last `@`, because a password may contain others. */
const IN_URL = /(:\/\/[^\s:/]*):[^\s/]+@/g;
/** At the end of a cut text: possibly the start of a password. */
const IN_URL_AT_END = /(:\/\/[^\s:/]*):[^\s/]+$/;

/** Whether a key or field of that name holds a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.slice(-NAME_LIMIT));
}

/** Whether a value of a config is not shown at all: by the name of its key, or because it has a private key in PEM. */
export function isSecret(name: string, value: string): boolean {
  return isSecretName(name) || hasPrivateKey(value);
}

export function hasPrivateKey(text: string): boolean {
  return text.search(PRIVATE_KEY) >= 0;
}

/** @param isCut whether the end of the text is missing */
export function hideSecretsIn(text: string, isCut = false): string {
  const hidden = text
    // First, because the other forms would hide its beginning only.
    .replace(PRIVATE_KEY, HIDDEN)
    .replace(AUTHORIZATION, `$1${HIDDEN}`)
    .replace(BEARER, `$1${HIDDEN}`)
    .replace(SIGNATURE, `$1${HIDDEN}`)
    .replace(ASSIGNED, `$1${HIDDEN}`)
    .replace(SQL_PASSWORD, `$1${HIDDEN}`)
    .replace(IN_URL, `$1:${HIDDEN}@`);
  return isCut ? hidden.replace(IN_URL_AT_END, `$1:${HIDDEN}`) : hidden;
}
