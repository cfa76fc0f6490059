/** Values that a plugin has parsed and checked itself: `checkValues` of the SDK. */
import { checkCheckedValues, type CheckedValue, type ConfigKey, type ConnectorConfig } from '@millrace/sdk';
import { HIDDEN } from '@millrace/texts/redaction';
import type { HideResolved } from '../providers/hide-resolved';
import type { Checks } from './config-infos';
import { describeKey, hintsOf, type Entry } from './entry';
import { withinStage } from './validation-error';
import { reportStep } from './validation-step';

/** More are a defect of the plugin, and would make the response too large. */
const MAX_VALUES = 10_000;
const MAX_ERRORS = 100;
/** Characters. */
const MAX_TEXT = 32_768;

/** By name. */
export type OwnValues = ReadonlyMap<string, CheckedValue>;

interface Checking {
  checkValues?(settings: ConnectorConfig): Promise<readonly CheckedValue[]>;
}

/** Null: the plugin leaves it to the runtime, or its code must not run. */
export type CheckOwnValues = (owner: string, plugin: Checking, settings: ConnectorConfig) => Promise<OwnValues | null>;

/** @param hide removes resolved values: the plugin may quote one anywhere */
export function ownValues(checks: Checks, limitMs: number, hide: HideResolved): CheckOwnValues {
  return async (owner, plugin, settings) => {
    if (checks === 'keys' || !plugin.checkValues) return null;
    reportStep(`the call of checkValues() in ${owner}`);
    const returned: unknown = await withinStage(
      Promise.resolve(plugin.checkValues(settings)),
      limitMs,
      'performing multi-property validation for the connector',
    );
    const values = checkCheckedValues(returned, owner).slice(0, MAX_VALUES);
    const shown = (text: string): string => hide(text, MAX_TEXT);
    return new Map(
      values.map(({ name, value, recommended, errors, visible }) => [
        name,
        {
          name,
          value: value === null ? null : shown(value),
          recommended: recommended.slice(0, MAX_VALUES).map(shown),
          errors: errors.slice(0, MAX_ERRORS).map(shown),
          visible,
        },
      ]),
    );
  };
}

/** An entry of a connector's key. As in Java, one without a value if the plugin has returned none. */
export function checkedEntry(key: ConfigKey, checked: CheckedValue | undefined): Entry {
  const { value, recommended, errors, visible } = checked ?? NO_VALUE;
  return {
    name: key.name,
    definition: describeKey(key),
    hints: hintsOf(key),
    parsed: value,
    value: key.type === 'PASSWORD' && value !== null ? HIDDEN : value,
    recommended,
    errors: [...errors],
    visible,
    ...(checked === undefined && { isUnanswered: true }),
  };
}

const NO_VALUE = { value: null, recommended: [], errors: [], visible: true } as const;

/**
 * An entry of another plugin's key. The runtime's own message about a missing or unparsable value, which has the key's
 * whole name as Java's has, stands for the first one of the plugin, which knows no prefix.
 */
export function withChecked(entry: Entry, checked: CheckedValue | undefined): Entry {
  if (checked === undefined) return entry;
  const { value } = checked;
  const isSecret = entry.definition?.type === 'PASSWORD' && value !== null;
  return {
    ...entry,
    ...shownOf(checked),
    value: isSecret ? HIDDEN : value,
    errors: entry.errors.length > 0 ? [...entry.errors, ...checked.errors.slice(1)] : [...checked.errors],
  };
}

/** A key of the runtime that the plugin has checked, too. */
export function withErrorsOf(entry: Entry, checked: CheckedValue): Entry {
  const { errors } = entry;
  return { ...entry, ...shownOf(checked), errors: [...new Set([...errors, ...checked.errors])] };
}

export function shownOf({ recommended, visible }: CheckedValue): Pick<Entry, 'recommended' | 'visible'> {
  return { recommended, visible };
}
