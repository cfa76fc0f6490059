import type { JarProblem, JavaDiscovery, JavaPlugin, JavaUnit, OtherJavaPlugin } from '../java-plugin';
import type * as ReadUnit from './read-unit';
import { mayBePlugin, type ServiceType } from './service-files';

const OTHERS: readonly ServiceType[] = ['config_provider', 'override_policy', 'rest_extension'];

/** With the library for jars, which threads that run plugins do not need. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
const loadReadUnit = () => require('./read-unit') as typeof ReadUnit;

/** Finds the plugins that the service files of units name. Starts no JVM. Never rejects. */
export async function discoverJavaPlugins(units: readonly JavaUnit[]): Promise<JavaDiscovery> {
  const plugins: JavaPlugin[] = [];
  const others: OtherJavaPlugin[] = [];
  const unscanned: JavaUnit[] = [];
  const problems: JarProblem[] = [];
  if (units.length === 0) return { plugins, others, unscanned, problems };
  const { readUnit } = loadReadUnit();
  for (const unit of units) {
    const { services, problems: ofUnit } = await readUnit(unit);
    problems.push(...ofUnit);
    if (!services.some(tellsOfUnit)) unscanned.push(unit);
    for (const service of services) {
      if (!mayBePlugin(service.class)) continue;
      if (isOther(service.type)) others.push({ ...unit, ...service, type: service.type });
      else plugins.push({ ...unit, ...service, type: service.type });
    }
  }
  return { plugins, others, unscanned, problems };
}

/** A jar may contain Kafka's, with their service files, beside a connector without one. */
function tellsOfUnit({ type, class: name }: Pick<JavaPlugin, 'class'> & { type: ServiceType }): boolean {
  return type === 'source' || type === 'sink' || !name.startsWith('org.apache.kafka.');
}

function isOther(type: ServiceType): type is OtherJavaPlugin['type'] {
  return OTHERS.includes(type);
}
