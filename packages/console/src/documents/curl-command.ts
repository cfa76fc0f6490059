/** The command that does what the console does. Pure. */

/** For POSIX shells. */
export function curlCommand(method: string, url: string, body: string): string {
  return [`curl -X ${method} ${quoted(url)}`, `  -H 'Content-Type: application/json'`, `  --data ${quoted(body)}`].join(
    ' \\\n',
  );
}

function quoted(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`;
}
