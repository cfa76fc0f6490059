/** The converters, transformations and predicates compiled into the worker, as the plugin registry lists them. */
import { builtInConverters } from './converters';
import type { BuiltInPlugin } from './plugins/registry';
import { builtInTransformations } from './transforms';
import { builtInPredicates } from './transforms/predicates';
import { CONNECT_VERSION } from './version';

/**
 * Debezium's class of the same simple name comes with the PostgreSQL source. In Java it is a separate download, so
 * configs use the short name for Kafka's.
 */
const FILTER = 'org.apache.kafka.connect.transforms.Filter';

export const builtInPlugins: readonly BuiltInPlugin[] = [
  ...builtInTransformations,
  ...builtInPredicates,
  ...builtInConverters,
].map(({ className, plugin }) => ({
  description: {
    type: plugin.type,
    class: className,
    version: CONNECT_VERSION,
    aliases: className === FILTER ? ['Filter'] : [],
    taskClass: null,
    location: 'built-in',
  },
  plugin,
}));
