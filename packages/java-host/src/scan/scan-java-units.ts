/** Finds the plugins of jars without service files: a JVM reads their classes, once for the same jars. */
import { messageOf, withDeadline } from '@millrace/sdk';
import type { HostSession } from '../connection/host-session';
import { versionsIn } from '../discovery/discover-java-plugins';
import { UNDEFINED_VERSION, versionText } from '../discovery/jar-version';
import { isClassName, isServiceType } from '../discovery/service-files';
import { pluginsOf, type FoundPlugins, type Service } from '../discovery/services';
import type { JarProblem, JavaUnit } from '../java-plugin';
import { scanKey } from '../jvm/host-jars';
import type { JvmKey, Jvms } from '../jvm/jvms';
import { defaultCacheFolder, ScanCache } from './scan-cache';

/** For one unit. Milliseconds. */
const SCAN_MS = 60_000;
const MAX_CLASSES = 10_000;

export interface ScanOptions {
  /** Called if a unit is not in the cache. Null: no JVM is started. */
  readonly jvms: (() => Jvms) | null;
  /** (Default: in the user's cache folder) */
  readonly cache?: ScanCache;
  /** (Default: that of the package's JVM) */
  readonly key?: () => Promise<JvmKey>;
}

export interface ScannedPlugins extends FoundPlugins {
  readonly problems: readonly JarProblem[];
}

let shared: ScanCache | null = null;

/** Never rejects: a unit that cannot be scanned is a problem. */
export async function scanJavaUnits(units: readonly JavaUnit[], options: ScanOptions): Promise<ScannedPlugins> {
  const { cache = (shared ??= new ScanCache(defaultCacheFolder())), key = scanKey, jvms } = options;
  const found: FoundPlugins[] = [];
  const problems: JarProblem[] = [];
  let session: HostSession | null = null;
  try {
    for (const unit of units) {
      try {
        const hash = await cache.keyOf(unit);
        const known = classesIn(await cache.get(hash));
        if (known !== null) {
          found.push(pluginsOf(unit, await withVersions(unit, known)));
          continue;
        }
        if (jvms === null) throw new Error('no JVM is started here');
        session ??= await jvms().open(await key(), { kind: 'plugins' });
        const answer = session.call('scan', unit.classPath);
        const late = (): Error => new Error(`there was no answer within ${SCAN_MS / 1_000} s`);
        const classes = classesIn(await withDeadline(answer, SCAN_MS, late));
        if (classes === null) throw new Error('the answer of the JVM is not a list of classes');
        await cache.put(hash, classes);
        found.push(pluginsOf(unit, await withVersions(unit, classes)));
      } catch (error) {
        problems.push(problem(unit, messageOf(error)));
      }
    }
  } finally {
    session?.close();
  }
  return {
    plugins: found.flatMap(({ plugins }) => plugins),
    others: found.flatMap(({ others }) => others),
    problems,
  };
}

type ScannedClass = Pick<Service, 'type' | 'class'> & { readonly version: string | null };

/** Null: it is no list of them. Code of plugins may have run in the JVM, and a file may be changed by others. */
function classesIn(value: unknown): ScannedClass[] | null {
  if (!Array.isArray(value) || value.length > MAX_CLASSES) return null;
  const classes = value.map(scannedClass);
  return classes.every((one) => one !== null) ? classes : null;
}

function scannedClass(value: unknown): ScannedClass | null {
  const { type, class: name, version } = (value ?? {}) as Partial<Record<string, unknown>>;
  if (!isServiceType(type) || typeof name !== 'string' || !isClassName(name)) return null;
  return { type, class: name, version: typeof version === 'string' ? versionText(version) : null };
}

/** Classes that cannot tell their version have that of their jar. */
async function withVersions(unit: JavaUnit, classes: readonly ScannedClass[]): Promise<Service[]> {
  const without = new Set(classes.flatMap(({ class: name, version }) => (version === null ? [name] : [])));
  const versions = await versionsIn(unit, without);
  return classes.map((one) => ({ ...one, version: one.version ?? versions.get(one.class) ?? UNDEFINED_VERSION }));
}

function problem({ location }: JavaUnit, reason: string): JarProblem {
  const message = `The Java plugins in ${location} are not found: its jars do not name them (META-INF/services), and their classes cannot be searched: ${reason}`;
  return { location, message: /[.!?]$/.test(message) ? message : `${message}.` };
}
