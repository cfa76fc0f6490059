/** Imports a plugin's module, ESM or CommonJS, and selects its export. */
import { configDefFault, ConnectError, type PluginType, withDeadline } from '@millrace/sdk';
import { errorLocation } from './error-location';
import { importModule } from './import-module';
import type { CatalogEntry } from './manifest';
import { leavesFolder } from './module-place';
import type { LoadedPlugin } from './registry';
import { provideSdk } from './sdk-fallback';

/** Milliseconds. */
const IMPORT_MS = 30_000;

/** Throws ConnectError `PLUGIN_LOAD_FAILED` with class, folder, reason and, for a fault of the module, its place. */
export async function loadPlugin(entry: CatalogEntry): Promise<LoadedPlugin> {
  const { description, file, exportName } = entry;
  let namespace: Record<string, unknown>;
  try {
    // A link may have changed since the manifest was read.
    if (leavesFolder(file, description.location)) throw new Error('its module is outside of its folder');
    provideSdk(description.location);
    const imported = importModule(file);
    // A top-level await may never complete.
    namespace = await withDeadline(imported, IMPORT_MS, importTimeout);
  } catch (error) {
    // The first line: Node appends the require stack, which is in the cause anyway.
    const reason = String((error as Error | undefined)?.message ?? error).split('\n', 1)[0] as string;
    const place = await errorLocation(error, file, description.location);
    throw failure(entry, place === null ? reason : `${reason} (${place})`, error, place ?? file);
  }
  const exports = exportCandidates(namespace, exportName);
  if (exports.length === 0) {
    throw failure(entry, exportName === null ? 'it exports nothing' : `it has no export named "${exportName}"`);
  }
  const faults = exports.map((candidate) => shapeFault(candidate, description.type));
  const fitting = faults.indexOf(null);
  if (fitting < 0) throw failure(entry, faults[0] as string);
  return exports[fitting] as LoadedPlugin;
}

/** A CommonJS module arrives as `default`; one compiled from ESM has its own `default` inside that. */
function exportCandidates(namespace: Record<string, unknown>, exportName: string | null): unknown[] {
  const outer = namespace.default as Record<string, unknown> | undefined;
  const found = exportName === null ? [outer?.default, outer, namespace] : [namespace[exportName], outer?.[exportName]];
  return found.filter((candidate) => typeof candidate === 'object' && candidate !== null);
}

/** What is missing, or null. Connectors need `createTask`, other plugins need `create`. */
function shapeFault(candidate: unknown, type: PluginType): string | null {
  const plugin = candidate as Record<string, unknown>;
  const factory = type === 'source' || type === 'sink' ? 'createTask' : 'create';
  if (plugin.type !== type) return `its export should have type "${type}" but has ${JSON.stringify(plugin.type)}`;
  if (typeof plugin[factory] !== 'function') return `its export should have a function "${factory}"`;
  return configDefFault(plugin.config);
}

const importTimeout = (): Error =>
  new Error(`the import of its module did not complete within ${IMPORT_MS} ms: check its top-level awaits`);

function failure(entry: CatalogEntry, reason: string, cause?: unknown, place = entry.file): ConnectError {
  const message = `The plugin ${entry.description.class} in ${entry.description.location} cannot be loaded: ${reason}`;
  return new ConnectError(/[.!?]$/.test(message) ? message : `${message}.`, {
    code: 'PLUGIN_LOAD_FAILED',
    cause,
    place: { file: place },
  });
}
