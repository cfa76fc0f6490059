/** Reads the manifest of one plugin folder: the `millrace` member of its `package.json`. Imports no code. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JavaPlugin } from '@millrace/java-host';
import type { PluginEntry } from '@millrace/sdk';
import { unknownFigure } from './console-schema';
import { manifestCheck } from './manifest-check';
import { leavesFolder } from './module-place';
import type { PluginDescription, PluginProblem } from './registry';

/** A description and what `load` needs. Plain data, so that it can be passed to another thread. */
export interface CatalogEntry {
  readonly description: PluginDescription;
  /** Absolute path of the module; of a plugin in a jar, its location. */
  readonly file: string;
  /** Name of the export; null: `default`, or the module itself. */
  readonly exportName: string | null;
  /** It is in a jar. (Default: it is a module) */
  readonly java?: JavaPlugin;
}

export interface ManifestResult {
  readonly entries: readonly CatalogEntry[];
  readonly problems: readonly PluginProblem[];
}

/** Null if the folder is not a plugin: no `package.json`, or one without a `millrace` member. Never throws. */
export function readManifest(folder: string): ManifestResult | null {
  const file = join(folder, 'package.json');
  const problem = (message: string): ManifestResult => ({ entries: [], problems: [{ location: folder, message }] });
  if (!existsSync(file)) return null;
  let content: { main?: unknown; version?: unknown; millrace?: unknown };
  try {
    content = JSON.parse(readFileSync(file, 'utf8')) as typeof content;
  } catch (error) {
    return problem(`${file} cannot be read as JSON: ${(error as Error).message}`);
  }
  if (typeof content !== 'object' || content === null || content.millrace === undefined) return null;
  const check = manifestCheck();
  const manifest = content.millrace;
  if (!check(manifest)) {
    const fault = check.errors?.[0];
    const member = `millrace${(fault?.instancePath ?? '').replace(/\/(\d+)/g, '[$1]').replaceAll('/', '.')}`;
    const detail =
      fault?.keyword === 'enum'
        ? `must be one of ${(fault.params as { allowedValues: string[] }).allowedValues.join(', ')}`
        : fault?.keyword === 'additionalProperties'
          ? `has an unknown member "${String(fault.params.additionalProperty)}"`
          : fault?.message;
    return problem(`The manifest in ${file} is invalid: ${member} ${detail}.`);
  }
  for (const [i, { console: declared = {} }] of manifest.plugins.entries()) {
    const fault = unknownFigure(declared);
    if (fault !== null) return problem(`The manifest in ${file} is invalid: millrace.plugins[${i}].console.${fault}.`);
  }
  const entries: CatalogEntry[] = [];
  const problems: PluginProblem[] = [];
  for (const entry of manifest.plugins) {
    const module = join(folder, entry.module ?? text(content.main) ?? 'index.js');
    if (!existsSync(module)) {
      problems.push({ location: folder, message: `The module ${module} of ${entry.class} does not exist.` });
      continue;
    }
    if (leavesFolder(module, folder)) {
      problems.push({
        location: folder,
        message: `The module ${module} of ${entry.class} is not loaded: it is outside of the plugin's folder. Copy it into the folder.`,
      });
      continue;
    }
    entries.push({
      description: {
        type: entry.type,
        class: entry.class,
        version: entry.version ?? text(content.version) ?? 'undefined',
        aliases: entry.aliases ?? [],
        taskClass: taskClass(entry),
        location: folder,
        ...(entry.workerSettings && { workerSettings: entry.workerSettings }),
        ...(entry.putIsRepeatable === false && { putIsRepeatable: false }),
        ...(entry.console && { console: entry.console }),
        ...(entry.deadLetters && { deadLetters: entry.deadLetters }),
        ...(entry.signals && { signals: entry.signals }),
      },
      file: module,
      exportName: entry.export ?? null,
    });
  }
  return { entries, problems };
}

function taskClass(entry: PluginEntry): string | null {
  if (entry.type !== 'source' && entry.type !== 'sink') return null;
  return entry.taskClass ?? entry.class.replace(/(?:Connector)?$/, 'Task');
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
