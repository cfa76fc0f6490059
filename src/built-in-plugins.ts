/** The converters, transformations and predicates compiled into the worker, as the plugin registry lists them. */
import { builtInConverters } from './converters';
import type { BuiltInPlugin } from './plugins/registry';
import { builtInTransformations } from './transforms';
import { builtInPredicates } from './transforms/predicates';
import { CONNECT_VERSION } from './version';

export const builtInPlugins: readonly BuiltInPlugin[] = [
  ...builtInTransformations,
  ...builtInPredicates,
  ...builtInConverters,
].map(({ className, plugin }) => ({
  description: {
    type: plugin.type,
    class: className,
    version: CONNECT_VERSION,
    aliases: [],
    taskClass: null,
    location: 'built-in',
  },
  plugin,
}));
