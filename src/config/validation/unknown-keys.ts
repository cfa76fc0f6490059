/**
 * Warns about keys that are likely typing errors of known ones. Other unknown keys pass without a word, as in Java:
 * plugins may read any key. Pure.
 */
import { nearestName, type ConfigWarning } from '@millrace/sdk';
import { CLIENT_KEYS } from '../client-keys';
import { OVERRIDDEN_CLIENTS } from '../client-override-policy';
import { COMMON_KEYS, embeddedPrefix, SINK_KEYS, SOURCE_KEYS, TOPIC_GROUP_KEYS } from '../connector-config';
import { MILLRACE_KEYS } from '../millrace-keys';

/** Compared at most: each costs about 0.1 ms with a hundred names. */
const MAX_COMPARED = 1_000;
/** Characters: longer keys are not typing errors. */
const MAX_LENGTH = 200;
const MAX_GROUPS = 200;
const MAX_WARNINGS = 100;
const LABELS = 'millrace.label.';

/** Characters: no plugin has a key of its own that is like one of the runtime's as long as this. */
const LONG = 12;
const RUNTIME: ReadonlySet<string> = new Set(
  [COMMON_KEYS, SOURCE_KEYS, SINK_KEYS, MILLRACE_KEYS].flatMap((table) => Object.values(table).map(({ name }) => name)),
);

/** Keys with a common prefix, such as those of a transformation, which are known by the rest of their names. */
interface Family {
  /** With the dot at its end. */
  readonly prefix: string;
  readonly names: ReadonlySet<string>;
}

export interface KnownKeys {
  /** Of the runtime, the connector, and its transformations, predicates and converters. */
  readonly names: ReadonlySet<string>;
  /** Of a source: `topic.creation.groups`. Null: a sink. */
  readonly topicGroups: readonly string[] | null;
}

/** In the order of the keys. A plugin may have `file` and read `files`: a key that is set is rarely proposed. */
export function unknownKeyWarnings(keys: readonly string[], known: KnownKeys): readonly ConfigWarning[] {
  const families = familiesOf(known);
  const inFamilies = (name: string): boolean => families.some(({ prefix }) => name.startsWith(prefix));
  const given = new Set(keys);
  const isFree = (name: string): boolean => !given.has(name);
  const others = [...known.names, ...Object.values(MILLRACE_KEYS).map(({ name }) => name)].filter(
    (name) => (isFree(name) || (RUNTIME.has(name) && name.length >= LONG)) && !inFamilies(name),
  );
  const isKnown = (key: string): boolean =>
    known.names.has(key) ||
    key.startsWith(LABELS) ||
    families.some(({ prefix, names }) => key.startsWith(prefix) && names.has(key.slice(prefix.length)));
  const warnings: ConfigWarning[] = [];
  const compared = keys.filter((key) => key.length <= MAX_LENGTH && !isKnown(key)).slice(0, MAX_COMPARED);
  for (const key of compared) {
    const meant = meantKey(key);
    if (meant !== null) warnings.push({ key, meant, message: `"${key}" is not a known key; did you mean "${meant}"?` });
    if (warnings.length === MAX_WARNINGS) break;
  }
  return warnings;

  function meantKey(key: string): string | null {
    const family = families.find(({ prefix }) => key.startsWith(prefix));
    if (!family) return nearestName(key, others) ?? withRightPrefix(key, families.filter(hasFreeKey(key)));
    const { prefix, names } = family;
    const rest = nearestName(key.slice(prefix.length), names);
    return rest === null ? null : prefix + rest;
  }

  function hasFreeKey(key: string): (family: Family) => boolean {
    return ({ prefix, names }) => {
      const rest = restAfter(key, segmentsOf(prefix).length);
      return rest !== null && names.has(rest) && isFree(prefix + rest);
    };
  }
}

/** Longer prefixes first: one may contain another. */
function familiesOf({ names, topicGroups }: KnownKeys): readonly Family[] {
  const prefixes = new Set([...names].flatMap((name) => embeddedPrefix(name) ?? []).map((prefix) => `${prefix}.`));
  const ofPlugins = [...prefixes].map((prefix) => ({
    prefix,
    names: new Set([...names].flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))),
  }));
  const ofClients = OVERRIDDEN_CLIENTS.map((client) => ({
    prefix: `${client}.override.`,
    names: new Set(CLIENT_KEYS[client].keys()),
  }));
  const ofTopics = ['default', ...(topicGroups ?? []).slice(0, MAX_GROUPS)].map((group) => ({
    prefix: `topic.creation.${group}.`,
    names: new Set<string>(TOPIC_GROUP_KEYS),
  }));
  return [...ofPlugins, ...ofClients, ...(topicGroups === null ? [] : ofTopics)].sort(
    (a, b) => b.prefix.length - a.prefix.length,
  );
}

/** `transfroms.mask.type` → `transforms.mask.type`. Segments are compared one by one: `b` does not mean `a`. */
function withRightPrefix(key: string, families: readonly Family[]): string | null {
  for (const { prefix } of families) {
    const meant = segmentsOf(prefix);
    const found = key.split('.', meant.length);
    const isNear = meant.every(
      (segment, i) => segment === found[i] || nearestName(found[i] as string, [segment]) !== null,
    );
    if (isNear) return prefix + (restAfter(key, meant.length) as string);
  }
  return null;
}

function segmentsOf(prefix: string): readonly string[] {
  return prefix.slice(0, -1).split('.');
}

/** What follows the first segments of the key; null if it has no more. */
function restAfter(key: string, segments: number): string | null {
  const parts = key.split('.');
  return parts.length > segments ? parts.slice(segments).join('.') : null;
}
