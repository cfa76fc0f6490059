export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
export function quoteTable(table: { readonly schema: string; readonly name: string }): string {
  return `${quoteIdentifier(table.schema)}.${quoteIdentifier(table.name)}`;
}
export function quoteLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}
