/** Classes of a unit as plugins. Pure. */
import type { JavaPlugin, JavaUnit, OtherJavaPlugin } from '../java-plugin';
import { mayBePlugin, type ServiceType } from './service-files';

export interface Service {
  readonly type: ServiceType;
  readonly class: string;
  readonly version: string;
}

export interface FoundPlugins {
  readonly plugins: readonly JavaPlugin[];
  readonly others: readonly OtherJavaPlugin[];
}

/** Without those that Java takes from its own class path. */
export function pluginsOf({ location, classPath }: JavaUnit, services: readonly Service[]): FoundPlugins {
  const plugins: JavaPlugin[] = [];
  const others: OtherJavaPlugin[] = [];
  for (const { type, class: name, version } of services) {
    if (!mayBePlugin(name)) continue;
    const found = { class: name, version, location, classPath };
    if (type === 'config_provider' || type === 'override_policy' || type === 'rest_extension')
      others.push({ type, ...found });
    else plugins.push({ type, ...found });
  }
  return { plugins, others };
}
