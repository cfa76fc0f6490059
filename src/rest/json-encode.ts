/** Answers in JSON as Jackson writes it: compact, UTF-8, `\u001F` in upper case, everything else raw. Source: connect-rest §0.2. */
export function encodeJson(value: unknown): Buffer {
  const text = JSON.stringify(value).replace(/\\(?:u[0-9a-f]{4}|.)/g, (escape) =>
    escape[1] === 'u' ? `\\u${escape.slice(2).toUpperCase()}` : escape,
  );
  return Buffer.from(text, 'utf8');
}
