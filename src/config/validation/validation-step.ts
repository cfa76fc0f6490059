/**
 * Which step validation is at, for whoever has to end one that does not come back: the check of a key may run an
 * expression of a user or code of a plug-in. Steps are synchronous, and a thread is at one of them at a time.
 */
type Hear = (step: string) => void;

let hear: Hear | null = null;

/** One listener a thread; null ends it. Steps are noun phrases. */
export function onValidationStep(listener: Hear | null): void {
  hear = listener;
}

export function validationStep(step: string): void {
  hear?.(step);
}

/** `key` is a name in a configuration, which a user chooses. */
export function checkOf(key: string): void {
  hear?.(`the check of "${key.length > 100 ? `${key.slice(0, 100)}…` : key}"`);
}
