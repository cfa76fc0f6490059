/** Adds the plugins in jars to a scan of plugin folders. */
import type { JavaPlugin, JavaUnit, Jvms, OtherJavaPlugin } from '@millrace/java-host';
import { messageOf } from '@millrace/sdk';
import { JAVA_HOST, javaHost, type JavaHost } from '../java/java-host';
import type { CatalogEntry } from './manifest';
import type { PluginProblem } from './registry';
import type { Scan } from './scan';

type Discoverer = Pick<JavaHost, 'discoverJavaPlugins' | 'scanJavaUnits'>;

/**
 * Java's `plugin.discovery`. Null: classes of the folders are searched whose jars name no plugins. Otherwise those of
 * all folders, or of none.
 */
export type PluginDiscovery = 'only_scan' | 'hybrid_warn' | 'hybrid_fail' | 'service_load' | null;

/** Jars that a problem names. */
const SHOWN = 5;

/**
 * Loads the package for Java plugins only if there are jars. Never rejects.
 * @param jvms for jars that do not name their plugins and have not been scanned yet; null: they stay unknown
 */
export async function withJavaPlugins(
  scan: Scan,
  jvms: (() => Jvms) | null = null,
  { find = javaHost, discovery = null }: { find?: () => Discoverer | null; discovery?: PluginDiscovery } = {},
): Promise<Scan> {
  const { entries, problems, units = [] } = scan;
  if (units.length === 0) return scan;
  try {
    const host = find();
    if (host === null) return { ...scan, problems: [...problems, notInstalled(units)] };
    const found = await host.discoverJavaPlugins(units);
    const searched = discovery === null ? found.unscanned : discovery === 'service_load' ? [] : found.usable;
    const scanned = await host.scanJavaUnits(searched, { jvms });
    return {
      ...scan,
      others: distinct([...found.others, ...scanned.others]),
      entries: [...entries, ...distinct([...found.plugins, ...scanned.plugins]).map(entryOf)],
      problems: [
        ...problems,
        ...[...found.problems, ...scanned.problems].map((problem) => ({ ...problem, isUsed: true as const })),
      ],
    };
  } catch (error) {
    const message = `Java plugins cannot be found: ${messageOf(error)}`;
    return { ...scan, problems: [...problems, { location: units[0]?.location ?? '', message }] };
  }
}

/** A scan also finds what service files name. */
function distinct<T extends JavaPlugin | OtherJavaPlugin>(plugins: readonly T[]): readonly T[] {
  return [...new Map(plugins.map((one) => [JSON.stringify([one.type, one.class, one.location]), one])).values()];
}

function entryOf(java: JavaPlugin): CatalogEntry {
  const { type, class: className, version, location } = java;
  return {
    description: {
      ...{ type, class: className, version, aliases: [], taskClass: null, location, java: true },
      // What a batch that failed has left behind is not known: Java does not repeat parts of it, either.
      ...(type === 'sink' && { putIsRepeatable: false }),
    },
    file: location,
    exportName: null,
    java,
  };
}

/** One for all, which a folder taken over from a Java worker contains. */
function notInstalled(units: readonly JavaUnit[]): PluginProblem {
  const jars = units.flatMap(({ classPath }) => classPath);
  const more = jars.length > SHOWN ? ` and ${jars.length - SHOWN} more` : '';
  const message = `Java plugins cannot run in this worker: ${jars.slice(0, SHOWN).join(', ')}${more} in plugin.path ${jars.length === 1 ? 'is' : 'are'} ignored. Install the package ${JAVA_HOST} beside millrace to run them.`;
  return { location: units[0]?.location ?? '', message };
}
