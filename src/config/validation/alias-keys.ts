/** The keys of `transforms.<alias>.*` and `predicates.<alias>.*`. Source: connect-rest §3.4, §3.5, §4.4. */
import type { ConfigKey, Importance, TransformationPlugin } from '@millrace/sdk';
import { didYouMean } from '../../plugins/missing-class';
import type { PluginDescription, PluginRegistry } from '../../plugins/registry';
import { invalidValue } from '../config-parse';
import { classOf, findUnambiguous, loadForCheck, versionsOf } from './converter-keys';
import { withoutPrefix } from '../client-config';
import { checkKey, valueOf, withoutNulls, type Entry, type NullableConfig } from './entry';
import { withChecked, type CheckOwnValues, type OwnValues } from './own-values';
import { unmetVersion } from '../../plugins/version-range';
import { pluginVersion, type FrameworkKey } from '../framework-key';

export interface AliasKind {
  readonly listKey: 'transforms' | 'predicates';
  readonly pluginType: 'transformation' | 'predicate';
  /** Java's interface name. */
  readonly base: 'Transformation' | 'Predicate';
  readonly implicit: readonly ConfigKey[];
}

export const TRANSFORMS: AliasKind = {
  listKey: 'transforms',
  pluginType: 'transformation',
  base: 'Transformation',
  implicit: [
    {
      name: 'predicate',
      type: 'STRING',
      default: null,
      importance: 'MEDIUM',
      documentation: 'Alias of the predicate that selects the records to transform.',
    },
    {
      name: 'negate',
      type: 'BOOLEAN',
      default: false,
      importance: 'MEDIUM',
      documentation: 'Apply the transformation to records that the predicate does not match.',
    },
  ],
};
export const PREDICATES: AliasKind = {
  listKey: 'predicates',
  pluginType: 'predicate',
  base: 'Predicate',
  implicit: [],
};

const IMPORTANCE: Readonly<Record<Importance, number>> = { HIGH: 0, MEDIUM: 1, LOW: 2 };

/** Java's order of embedded definitions: group (none first, then as declared), order, required, importance, name. */
function sortEmbedded(keys: readonly ConfigKey[]): readonly ConfigKey[] {
  const groups = [...new Set(keys.map((key) => key.group ?? null).filter((group) => group !== null))];
  const rank = (key: ConfigKey): number => (key.group == null ? -1 : groups.indexOf(key.group));
  return [...keys].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      (a.order ?? -1) - (b.order ?? -1) ||
      Number(b.default === undefined) - Number(a.default === undefined) ||
      IMPORTANCE[a.importance] - IMPORTANCE[b.importance] ||
      (a.name < b.name ? -1 : 1),
  );
}

/** `parsed` is the value of `transforms` or `predicates`; null when it could not be parsed. */
export async function aliasEntries(
  kind: AliasKind,
  aliases: readonly string[],
  config: NullableConfig,
  registry: PluginRegistry,
  checkOwn: CheckOwnValues,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const alias of new Set(aliases))
    entries.push(...(await entriesOfAlias(kind, alias, config, registry, checkOwn)));
  return entries;
}

async function entriesOfAlias(
  kind: AliasKind,
  alias: string,
  config: NullableConfig,
  registry: PluginRegistry,
  checkOwn: CheckOwnValues,
): Promise<Entry[]> {
  const prefix = `${kind.listKey}.${alias}.`;
  const group = `${kind.listKey === 'transforms' ? 'Transforms' : 'Predicates'}: ${alias}`;
  const classes = registry.list().filter((plugin) => plugin.type === kind.pluginType);
  const typeKey: FrameworkKey = {
    name: 'type',
    type: 'CLASS',
    importance: 'HIGH',
    documentation: `Class of the ${kind.pluginType} '${alias}'.`,
    group,
    order: 0,
    width: 'LONG',
    displayName: `${kind.base} type for ${alias}`,
    recommended: [...new Set(classes.map((plugin) => plugin.class))],
    classOf: (name) => classOf(registry, name) ?? (variants(name, classes).length > 0 ? name : null),
  };
  const options = { prefix, prefixInMessages: true };
  const type = checkKey(typeKey, config, options);
  const requested = typeof type.parsed === 'string' ? type.parsed : null;
  const plugin = requested === null ? null : findUnambiguous(registry, requested, kind.pluginType);
  const versions = plugin ? versionsOf(plugin, classes) : [];
  const version = checkKey(versionKey(kind, alias, group, plugin, versions), config, options);
  // Not the default: a version that is given may mean a jar.
  const asked = valueOf(config, version.name) ?? null;
  const unavailable = plugin && unmetVersion(plugin.class, asked, versions, classes);
  let own: readonly ConfigKey[] | null = null;
  let checked: OwnValues | null = null;
  if (unavailable != null) {
    type.errors.push(unavailable);
    version.errors.push(unavailable);
  } else if (plugin && version.errors.length > 0) {
    type.errors.push(...version.errors);
  } else if (plugin) {
    try {
      const chosen = registry.find(plugin.class, kind.pluginType, asked) ?? plugin;
      const loaded = (await loadForCheck(registry, chosen)) as Partial<TransformationPlugin>;
      checked = await checkOwn(plugin.class, loaded, withoutPrefix(withoutNulls(config), prefix));
      own = loaded.config ?? [];
    } catch (error) {
      const reason = `Error getting config definition from ${kind.base}: ${(error as Error).message}`;
      type.errors.push(invalidValue(type.name, requested ?? '', reason));
    }
  } else if (requested !== null) {
    const meant = variants(requested, classes);
    type.errors.push(
      meant.length > 0
        ? ['This class is abstract and cannot be created.', ...didYouMean(meant)].join(' ')
        : `Class class ${requested} does not implement the ${kind.base} interface`,
    );
  }
  if (
    kind === TRANSFORMS &&
    valueOf(config, `${prefix}negate`) !== undefined &&
    valueOf(config, `${prefix}predicate`) === undefined
  ) {
    type.errors.push(
      `Config '${prefix}negate' was provided but there is no config '${prefix}predicate' defining a predicate to be negated.`,
    );
  }
  const ownKeys = sortEmbedded(own === null ? [] : [...own, ...kind.implicit]).map((key, index) => ({
    ...key,
    group: key.group == null ? group : `${group}: ${key.group}`,
    order: index + 2,
  }));
  const names = new Set(own?.map(({ name }) => name));
  return [
    type,
    version,
    ...ownKeys.map((key) => {
      const entry = checkKey(key, config, options);
      return checked !== null && names.has(key.name) ? withChecked(entry, checked.get(key.name)) : entry;
    }),
  ];
}

/** Java's inner classes of an abstract class: `InsertField` → `InsertField$Key`, `InsertField$Value`. */
function variants(name: string, classes: readonly PluginDescription[]): readonly string[] {
  return classes.map((plugin) => plugin.class).filter((inner) => inner.startsWith(`${name}$`));
}

function versionKey(
  kind: AliasKind,
  alias: string,
  group: string,
  plugin: PluginDescription | null,
  versions: readonly string[],
): FrameworkKey {
  return {
    name: 'plugin.version',
    type: 'STRING',
    default: plugin?.version ?? null,
    importance: 'HIGH',
    documentation: `Version of the ${kind.pluginType} '${alias}'.`,
    group,
    order: 1,
    width: 'LONG',
    displayName: `${kind.base} version for ${alias}`,
    recommended: versions,
    check: pluginVersion,
  };
}
