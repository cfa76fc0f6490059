/** Keeps secrets out of log lines. Pure. */
const MASK = '[hidden]';
const SECRET_NAME =
  /(?:password|passwd|passphrase|secret|token|credential|sasl[._-]?jaas[._-]?config|authorization|(?:^|[._-])key|(?:api|app|access|account|private|signing|session|shared)[._-]?key)s?$/i;
/** `password=…`, `"secret": "…"` and the like inside a text, JAAS configurations included. */
const SECRET_IN_TEXT =
  /((?:password|passwd|passphrase|secret|token|sharedaccesskey|accountkey|ap[ip][._-]?key)["']?\s*[=:]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,;&}"']+)/gi;
const CREDENTIALS_IN_URL = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s@/]+@/gi;
const MAX_DEPTH = 6;

export function redactText(text: string): string {
  return text.replace(SECRET_IN_TEXT, `$1${MASK}`).replace(CREDENTIALS_IN_URL, `$1:${MASK}@`);
}

/** A copy for printing: secrets masked by name, errors as `{ code, message }` with their causes, bigints and dates as text. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH) return '…';
  if (isError(value)) {
    const { code, message, cause } = value;
    return redact(
      { ...(code === undefined ? {} : { code }), message, ...(cause === undefined ? {} : { cause }) },
      depth,
    );
  }
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, item]) => [
      String(name),
      SECRET_NAME.test(String(name)) && item != null ? MASK : redact(item, depth + 1),
    ]),
  );
}

/** Also errors of another realm or thread. */
export function isError(value: unknown): value is Error & { code?: unknown } {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}
