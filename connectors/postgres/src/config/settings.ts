import type { ConnectorConfig } from '@millrace/sdk';
import { DEFINITIONS } from './definitions';
import type { Key } from './keys';
import { PatternList } from './patterns';

const DEFAULTS = new Map(DEFINITIONS.map((definition) => [definition.name, definition.default]));

export type Settings = ReturnType<typeof readSettings>;

/** Typed access to the checked values of a connector config, with the defaults of their definitions. */
export function readSettings(values: ConnectorConfig) {
  /** What the connector config holds, without the default. */
  const given = (name: Key): string | null => {
    const value = values[name]?.trim();
    return value === undefined || value === '' ? null : value;
  };
  /** Trimmed; null when there is neither a value nor a default. */
  const text = (name: Key): string | null => {
    const fallback = DEFAULTS.get(name);
    return given(name) ?? (fallback == null ? null : String(fallback));
  };
  const must = (name: Key): string => text(name) as string;
  const number = (name: Key): number => Number(must(name));
  const flag = (name: Key): boolean => must(name).toLowerCase() === 'true';
  const choice = <T extends string>(name: Key): T => must(name).toLowerCase() as T;
  const patterns = (name: Key): PatternList | null => {
    const value = text(name);
    return value === null ? null : PatternList.parse(value);
  };
  /** Not trimmed. */
  const secret = (name: Key): string | null => values[name] ?? null;
  return { given, text, must, number, flag, choice, patterns, secret };
}
