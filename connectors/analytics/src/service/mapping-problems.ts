/**
 * Reasons why the service would reject every file that uses an ingestion mapping. Pure. Sources: analytics-sink §1.8,
 * §5.11, §5.12.
 */

/**
 * @param definition The mapping as the service shows it
 * @param columns Names of the table's columns, case-sensitive
 */
export function mappingProblems(definition: string, kind: string, columns: readonly string[]): string[] {
  const seen = new Set<string>();
  return elementsOf(definition).flatMap((element) => {
    const column = text(element.column) || text(element.name);
    if (!columns.includes(column)) return [`it names column '${column}', which the table does not have`];
    if (seen.has(column)) return [`it names column '${column}' twice`];
    seen.add(column);
    const isComputed = text(element.constvalue) !== '' || !['', 'none'].includes(text(element.transform).toLowerCase());
    if (kind !== 'csv' || isComputed || /^[0-9]+$/.test(text(element.ordinal))) return [];
    return [`column '${column}' has no ordinal`];
  });
}

/** Keys in lower case, with those of `Properties` merged in. Empty for a definition that is not readable. */
function elementsOf(definition: string): Record<string, unknown>[] {
  try {
    const parsed: unknown = JSON.parse(definition);
    if (!Array.isArray(parsed)) return [];
    return parsed.map((element: unknown) => {
      const { properties, ...own } = lowerKeys(element);
      return { ...own, ...lowerKeys(properties) };
    });
  } catch {
    return [];
  }
}

function lowerKeys(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toLowerCase(), member as unknown]));
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
