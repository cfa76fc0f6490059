export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
export function quoteTable(table: { readonly schema: string; readonly name: string }): string {
  return `${quoteIdentifier(table.schema)}.${quoteIdentifier(table.name)}`;
}

/** A name as the server's `quote_identifier` wrote it. */
export function unquoteIdentifier(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text;
}

/** Null unless the text is `schema.table` with each part quoted where it must be. */
export function unquoteTable(text: string): { readonly schema: string; readonly name: string } | null {
  const [, schema, name] = /^((?:"[^"]*")+|[^".]+)\.((?:"[^"]*")+|[^".]+)$/.exec(text) ?? [];
  if (schema === undefined || name === undefined) return null;
  return { schema: unquoteIdentifier(schema), name: unquoteIdentifier(name) };
}

export function quoteLiteral(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}
