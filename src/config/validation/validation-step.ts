/**
 * Reports the current validation step, so that the error about a stuck validation can name it. The check of a key may
 * run a user's regular expression or plugin code and never return. Steps are synchronous, and a thread runs one at a
 * time.
 */
type StepListener = (step: string) => void;

let report: StepListener | null = null;

/** Sets the thread's only listener; null removes it. Steps are noun phrases. */
export function onValidationStep(listener: StepListener | null): void {
  report = listener;
}

export function reportStep(step: string): void {
  report?.(step);
}

/** `key` is the user's, and may be of any length. */
export function reportKeyCheck(key: string): void {
  report?.(`the check of "${key.length > 100 ? `${key.slice(0, 100)}…` : key}"`);
}
