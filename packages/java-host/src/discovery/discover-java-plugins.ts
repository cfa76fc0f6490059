import type { JarProblem, JavaDiscovery, JavaPlugin, JavaUnit, OtherJavaPlugin } from '../java-plugin';
import type * as ReadUnit from './read-unit';
import { pluginsOf, type Service } from './services';

/** Of Java's class path. */
const SEPARATOR = ':';

/** With the library for jars, which threads that run plugins do not need. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
const loadReadUnit = () => require('./read-unit') as typeof ReadUnit;

/** Finds the plugins that the service files of units name. Starts no JVM. Never rejects. */
export async function discoverJavaPlugins(units: readonly JavaUnit[]): Promise<JavaDiscovery> {
  const plugins: JavaPlugin[] = [];
  const others: OtherJavaPlugin[] = [];
  const usable: JavaUnit[] = [];
  const unscanned: JavaUnit[] = [];
  const problems: JarProblem[] = [];
  if (units.length === 0) return { plugins, others, usable, unscanned, problems };
  const { readUnit } = loadReadUnit();
  for (const unit of units) {
    const unusable = unit.classPath.find((path) => path.includes(SEPARATOR));
    if (unusable !== undefined) {
      problems.push(notOnClassPath(unit, unusable));
      continue;
    }
    usable.push(unit);
    const { services, problems: ofUnit } = await readUnit(unit);
    problems.push(...ofUnit);
    if (!services.some(tellsOfUnit)) unscanned.push(unit);
    const found = pluginsOf(unit, services);
    plugins.push(...found.plugins);
    others.push(...found.others);
  }
  return { plugins, others, usable, unscanned, problems };
}

/** Versions of classes without one of their own. Never rejects. */
export async function versionsIn(unit: JavaUnit, classes: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  return await loadReadUnit().classVersions(unit, classes);
}

/** A jar may contain Kafka's, with their service files, beside a connector without one. */
function tellsOfUnit({ type, class: name }: Service): boolean {
  return type === 'source' || type === 'sink' || !name.startsWith('org.apache.kafka.');
}

function notOnClassPath({ location }: JavaUnit, path: string): JarProblem {
  const message = `The Java plugins in ${location} cannot run: ${path} has a "${SEPARATOR}" in its name, which separates the jars of a class path. Rename it.`;
  return { location, message };
}
