import type { ConnectorConfig } from '@millrace/sdk';
import type { Definition } from './definition';
import { definitionOf, type Field, type Key, type ValueOf } from './definitions';
import { PatternList } from './patterns';

export type Settings = ReturnType<typeof readSettings>;

/** Typed access to the checked values of a connector config, with the defaults of their definitions. */
export function readSettings(values: ConnectorConfig) {
  /** What the connector config holds, without the default. */
  const given = (name: Key): string | null => {
    const value = values[name]?.trim();
    return value === undefined || value === '' ? null : value;
  };
  /** Texts are trimmed. Null when there is neither a value nor a default. */
  const get = <F extends Field>(field: F): ValueOf<F> => {
    const definition: Definition<Key> = definitionOf(field);
    const preset = definition.default;
    const text = given(definition.name) ?? (preset === null ? null : String(preset));
    return (text === null ? null : parsed(definition, text)) as ValueOf<F>;
  };
  const patterns = (field: Field): PatternList | null => {
    const value = get(field);
    return value === null ? null : PatternList.parse(String(value));
  };
  /** Not trimmed. */
  const secret = (name: Key): string | null => values[name] ?? null;
  return { given, get, patterns, secret };
}

function parsed({ type, constraint }: Definition, text: string): string | number | boolean {
  switch (type) {
    case 'BOOLEAN':
      return text.toLowerCase() === 'true';
    case 'SHORT':
    case 'INT':
    case 'LONG':
    case 'DOUBLE':
      return Number(text);
    default:
      return constraint?.kind === 'oneOf' ? text.toLowerCase() : text;
  }
}
