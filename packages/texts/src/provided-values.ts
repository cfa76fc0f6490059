/**
 * The values that config providers returned in this thread, or in the thread that created it, by owner: the connector
 * whose config has them, or the process, whose own settings have them. A text shows the placeholders of its owners
 * only: replacing values of others would alter it, and show a caller which of its guesses is right.
 */
import { HiddenValues, hideIn, type HideOptions } from './hidden-values';

/** Name of a connector. Null: the process, with the worker's settings or, in a command, with its document. */
export type Owner = string | null;

/**
 * Whose values a text may quote, in addition to those of the process: text of a connector's plugins and servers, or of
 * a thread that several connectors share. `undefined`: text of a caller, in which nothing is hidden.
 */
export type Owners = Owner | readonly string[] | undefined;

export type ProvidedValues = readonly (readonly [owner: Owner, values: ReturnType<HiddenValues['snapshot']>])[];

/** Beyond it, values of the connector whose config was resolved least recently are dropped. */
const MOST_CONNECTORS = 10_000;

interface Owned {
  readonly values: HiddenValues;
  /** The number of changes after the last one of these values. */
  changed: number;
}

const process = owned();
/** By connector, least recently resolved first. */
const connectors = new Map<string, Owned>();
let changes = 0;

function owned(): Owned {
  return { values: new HiddenValues(), changed: 0 };
}

/** @param placeholder shown instead of the value */
export function addProvidedValue(value: string, placeholder: string, owner: Owner): void {
  change(owner, (values) => values.add(value, placeholder));
}

/** See `hideIn`. */
export function hideProvidedValues(text: string, owners: Owners, options?: HideOptions): string {
  return hideIn(text, setsOf(owners), options);
}

/** The placeholder, if the whole text is a provided value and not a short one. */
export function placeholderOf(text: string, owners: Owners): string | undefined {
  for (const set of setsOf(owners)) {
    const placeholder = set.placeholderOf(text);
    if (placeholder !== undefined) return placeholder;
  }
  return undefined;
}

/** Increases when a value is added. */
export function providedValuesVersion(): number {
  return changes;
}

/** Plain data, for `receiveProvidedValues` in another thread: of the owners that have new values since that version. */
export function providedValuesSince(version: number): ProvidedValues {
  const all: [Owner, Owned][] = [[null, process], ...connectors];
  return all.filter(([, { changed }]) => changed > version).map(([owner, { values }]) => [owner, values.snapshot()]);
}

export function receiveProvidedValues(received: ProvidedValues): void {
  for (const [owner, snapshot] of received) change(owner, (values) => values.addSnapshot(snapshot));
}

function change(owner: Owner, apply: (values: HiddenValues) => void): void {
  const own = owner === null ? process : (connectors.get(owner) ?? owned());
  const { version } = own.values;
  apply(own.values);
  if (own.values.version !== version) own.changed = ++changes;
  if (owner === null) return;
  connectors.delete(owner);
  connectors.set(owner, own);
  const [oldest] = connectors.keys();
  if (connectors.size > MOST_CONNECTORS && oldest !== undefined) connectors.delete(oldest);
}

function setsOf(owners: Owners): readonly HiddenValues[] {
  if (owners === undefined) return [];
  const names = owners === null ? [] : typeof owners === 'string' ? [owners] : owners;
  const own = names.flatMap((name) => connectors.get(name)?.values ?? []);
  return [process.values, ...own];
}
