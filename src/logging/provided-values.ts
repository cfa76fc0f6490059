/**
 * The values that config providers returned in this thread, or in the thread that created it. There is one set per
 * thread, not one per caller: log lines, traces and error texts are formatted in places that nothing is passed to, and
 * none of them may show a value.
 */
import { HiddenValues } from './hidden-values';

const values = new HiddenValues();

export type ProvidedValues = ReturnType<HiddenValues['snapshot']>;

/** @param placeholder shown instead of the value */
export function addProvidedValue(value: string, placeholder: string): void {
  values.add(value, placeholder);
}

/** See `HiddenValues.hide`. */
export function hideProvidedValues(...[text, options]: Parameters<HiddenValues['hide']>): string {
  return values.hide(text, options);
}

/** The placeholder, if the whole text is a provided value and not a short one. */
export function placeholderOf(text: string): string | undefined {
  return values.placeholderOf(text);
}

/** Increases when a value is added. */
export function providedValuesVersion(): number {
  return values.version;
}

/** Plain data, for `receiveProvidedValues` in another thread. */
export function snapshotProvidedValues(): ProvidedValues {
  return values.snapshot();
}

export function receiveProvidedValues(snapshot: ProvidedValues): void {
  values.addSnapshot(snapshot);
}
