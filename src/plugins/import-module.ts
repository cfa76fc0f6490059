/**
 * Loads an ESM or CommonJS module. In a file of its own, which bundles leave out: code that V8 restores from its cache
 * cannot import.
 */
export async function importModule(url: string): Promise<Record<string, unknown>> {
  return (await import(url)) as Record<string, unknown>;
}
