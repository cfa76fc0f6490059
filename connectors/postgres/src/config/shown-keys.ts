/**
 * Settings as REST shows them: Debezium's in its order, then ours, then alternative names.
 * Source: cdc-postgres §1.3 to §1.6.
 */
import type { ConfigKey } from '@millrace/sdk';
import { LEGACY_NAMES, LEGACY_VALUES, TOLERATED_NAMES } from './aliases';
import type { Definition } from './definition';
import { DEFINITIONS, KEY } from './definitions';
import { LAYOUT } from './layout';
import { isRefused } from './unsupported';

/** Keys that determine what table.include.list can match. */
const BEFORE_TABLES: readonly string[] = [KEY.schemaIncludeList, 'database.include.list'];
/** Debezium hides this one from forms. */
const HIDDEN = KEY.schemaExcludeList;
/** Most configs need them, whatever their importance. */
const PROMINENT: readonly string[] = [
  KEY.slotName,
  KEY.publicationName,
  KEY.publicationAutocreateMode,
  KEY.snapshotMode,
];
/** Few configs need them, although their importance is HIGH. */
const RARE: readonly string[] = [KEY.notificationSinkTopicName];

/** Keys that contain values of their own, as Debezium shows them. */
const FAMILIES: ReadonlyMap<string, string> = new Map([
  ['column.mask.hash.([^.]+).with.salt.(.+)', 'Publishes salted digests'],
  ['column.mask.with.(d+).chars', 'Publishes asterisks in place of the values'],
  ['column.truncate.to.(d+).chars', 'Publishes the first characters'],
]);

const definitions = new Map<string, Definition>(DEFINITIONS.map((definition) => [definition.name, definition]));
const spellings: ReadonlyMap<string, string> = new Map(Object.entries({ ...LEGACY_NAMES, ...TOLERATED_NAMES }));

export function shownKeys(): readonly ConfigKey[] {
  const laidOut = LAYOUT.flatMap(([group, keys]) => {
    let order = 0;
    return keys.map((row, i) => {
      // An internal name shares the order of the public one.
      if (row[0] !== `internal.${keys[i - 1]?.[0]}`) order++;
      return shownKey(group, row, order);
    });
  });
  const names = new Set(laidOut.map(({ name }) => name));
  const own = DEFINITIONS.filter(({ name }) => !names.has(name)).map((definition, index): ConfigKey => ({
    ...implemented(definition),
    importance: 'LOW',
    group: 'MILLRACE',
    order: index + 1,
    width: 'MEDIUM',
    displayName: title(definition.name),
  }));
  const others = [...spellings]
    .filter(([name]) => !names.has(name))
    .map(([name, current]): ConfigKey => ({
      name,
      type: definitions.get(current)?.type ?? 'STRING',
      default: null,
      importance: 'LOW',
      documentation: `Alias of ${current}.`,
      group: 'Other spellings',
      ...alias(name, current),
    }));
  return [...laidOut, ...own, ...others];
}

function shownKey(group: string, row: (typeof LAYOUT)[number][1][number], order: number): ConfigKey {
  const [name, importance, width, type = 'STRING', defaultValue = null, offered] = row;
  const definition = definitions.get(name);
  return {
    ...(definition ? implemented(definition) : { name, type, default: defaultValue, ...absent(name) }),
    ...(offered ? { recommended: offered } : {}),
    importance,
    group,
    order,
    width,
    displayName: title(name),
    dependents: BEFORE_TABLES.includes(name) ? [KEY.tableIncludeList] : [],
    visible: name !== HIDDEN,
    ...prominence(name),
  };
}

function prominence(name: string): Pick<ConfigKey, 'prominent'> {
  if (PROMINENT.includes(name)) return { prominent: true };
  return RARE.includes(name) ? { prominent: false } : {};
}

function implemented({ name, type, documentation, constraint, default: value }: Definition) {
  const listed = type === 'LIST' && typeof value === 'string' ? value.split(',') : value;
  const recommended = constraint?.kind === 'oneOf' ? { recommended: constraint.values } : {};
  const required = constraint?.kind === 'required' ? { requiredUnless: [] } : {};
  return { name, type, default: listed, documentation, ...recommended, ...required, ...accepted(name) };
}

/** Checked as the current name. */
function alias(name: string, current: string): Pick<ConfigKey, 'aliasOf' | 'deprecated' | 'accepts'> {
  return { aliasOf: current, deprecated: Object.hasOwn(LEGACY_NAMES, name), ...accepted(current) };
}

/** What `checkConfig` accepts beyond the type. */
function accepted(name: string): Pick<ConfigKey, 'accepts'> {
  const constraint = definitions.get(name)?.constraint;
  if (constraint?.kind !== 'oneOf') return {};
  const blank = name === KEY.databaseSslmode ? [] : [''];
  const values = [...constraint.values, ...Object.keys(LEGACY_VALUES[name] ?? {}), ...blank];
  return { accepts: { values, anyCase: true } };
}

function absent(
  name: string,
): Pick<ConfigKey, 'documentation' | 'aliasOf' | 'deprecated' | 'accepts' | 'withoutEffect'> {
  const current = spellings.get(name);
  if (current !== undefined) return { documentation: `Alias of ${current}.`, ...alias(name, current) };
  const family = FAMILIES.get(name);
  if (family !== undefined)
    return { documentation: `${family} of the columns that match schema.table.column patterns.`, accepts: null };
  return isRefused(name)
    ? { documentation: 'Not supported: a configuration that requires it is rejected.', accepts: null }
    : { documentation: 'Not supported: accepted, and without effect.', accepts: null, withoutEffect: true };
}

/** `snapshot.fetch.size` → `Snapshot fetch size`. */
function title(name: string): string {
  const words = name.replaceAll('.', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
