/** Finds plugins by the name given in a config. Pure. Source: connect-runtime Appendix D, connect-rest §1.20. */
import type { PluginType } from '@millrace/sdk';
import type { PluginDescription } from './registry';

const KIND_SUFFIX: Readonly<Record<PluginType, string>> = {
  source: 'Connector',
  sink: 'Connector',
  converter: 'Converter',
  header_converter: 'HeaderConverter',
  transformation: 'Transformation',
  predicate: 'Predicate',
  column_converter: 'Converter',
};

/** `org.example.Outer$Inner` → `Inner`. */
export function simpleName(className: string): string {
  return className.slice(Math.max(className.lastIndexOf('.'), className.lastIndexOf('$')) + 1);
}

/** The simple name cut before the last occurrence of its kind: `FileStreamSinkConnector` → `FileStreamSink`. */
export function prunedName(className: string, type: PluginType): string {
  const simple = simpleName(className);
  const cut = simple.lastIndexOf(KIND_SUFFIX[type]);
  return cut > 0 ? simple.slice(0, cut) : simple;
}

/**
 * Plugins that match `name` by the first rule that matches: class, declared alias, derived name. If the result has
 * several classes, the name is ambiguous.
 */
export function candidates(name: string, plugins: readonly PluginDescription[]): readonly PluginDescription[] {
  const rules: ((plugin: PluginDescription) => boolean)[] = [
    (plugin) => plugin.class === name,
    (plugin) => plugin.aliases.includes(name),
    (plugin) => simpleName(plugin.class) === name || prunedName(plugin.class, plugin.type) === name,
  ];
  for (const rule of rules) {
    const matching = plugins.filter(rule);
    if (matching.length > 0) return matching;
  }
  return [];
}
