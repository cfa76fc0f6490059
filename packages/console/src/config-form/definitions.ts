/** Definitions of config keys, as Connect's REST API returns them, in the order that people read them. Pure. */
import type { Definition, Validation } from '../worker-api';

export type Entry = Validation['configs'][number];

/** Group of keys that a plugin defines without one. */
const UNGROUPED = 'Connector';
/** Groups of Connect itself, which follow those of the plugin. Others of these begin with them, as `Transforms: a`. */
const CONNECT_GROUPS = [
  ...['Transforms', 'Predicates', 'Error Handling', 'Topic Creation', 'Exactly Once Support', 'offsets.topic'],
  ...['Serialization', 'Schemas'],
];
/** Aliases of keys, which are no place to begin. */
const LAST_GROUP = 'Other spellings';
const INITIALS = new Set(['SSL', 'TLS', 'SASL', 'JSON', 'SQL', 'URL', 'HTTP', 'ID', 'JDBC', 'AWS', 'SMT']);

export interface DefinitionGroup {
  readonly name: string;
  readonly title: string;
  readonly definitions: readonly Definition[];
}

/** Common keys first, then the plugin's groups in its order, Connect's others, aliases. */
export function groupDefinitions(
  definitions: readonly Definition[],
  groupOrder: readonly string[] = [],
): readonly DefinitionGroup[] {
  const groups = new Map<string, Definition[]>();
  for (const definition of definitions) {
    const name = definition.group ?? UNGROUPED;
    const group = groups.get(name);
    if (group) group.push(definition);
    else groups.set(name, [definition]);
  }
  const names = [...groups.keys()];
  const place = (name: string): number => {
    const found = groupOrder.indexOf(name);
    return found >= 0 ? found : groupOrder.length + names.indexOf(name);
  };
  return names
    .sort((a, b) => rankOf(a) - rankOf(b) || place(a) - place(b))
    .map((name) => ({ name, title: groupTitle(name), definitions: inOrder(groups.get(name)!) }));
}

function rankOf(group: string): number {
  if (group === 'Common') return 0;
  if (group === LAST_GROUP) return 1000;
  const place = CONNECT_GROUPS.findIndex((known) => group === known || group.startsWith(`${known}: `));
  return place < 0 ? 1 : 2 + place;
}

/** Keys without a position keep the order of their definition, after those with one. */
function inOrder(definitions: readonly Definition[]): readonly Definition[] {
  const place = ({ order_in_group: order }: Definition): number => (order < 0 ? Infinity : order);
  return [...definitions].sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}

/** @example groupTitle('CONNECTION_ADVANCED_SSL') === 'Connection advanced SSL' */
export function groupTitle(name: string): string {
  if (!/^[A-Z0-9_]+$/.test(name) && !/^[a-z.]+$/.test(name)) return name;
  const words = name.split(/[_.]+/).filter((word) => word !== '');
  const shown = words.map((word) => (INITIALS.has(word.toUpperCase()) ? word.toUpperCase() : word.toLowerCase()));
  const text = shown.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Keys and titles are found in any case; all words of the query must occur in the key, title or documentation. */
export function matchesQuery(definition: Definition, query: string): boolean {
  const text = `${definition.name}\n${definition.display_name}\n${definition.documentation}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Keys whose values are never shown. */
export function secretKeys(definitions: readonly Definition[], entries: readonly Entry[] = []): ReadonlySet<string> {
  const all = [...definitions, ...entries.flatMap(({ definition }) => definition ?? [])];
  return new Set(all.filter(({ type }) => type === 'PASSWORD').map(({ name }) => name));
}
