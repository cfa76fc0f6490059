/** Builds findings; the order of arguments is that of a sentence: what is wrong, what to do, what to run. */
import type { Finding } from '@millrace/sdk';

export interface Cure {
  readonly cure?: string;
  readonly statement?: string;
}

export function fault(code: string, message: string, cure: Cure = {}): Finding {
  return { severity: 'error', code, message, ...cure };
}

export function caution(code: string, message: string, cure: Cure = {}): Finding {
  return { severity: 'warning', code, message, ...cure };
}

/** Names listed in one message. */
const MOST_NAMES = 20;

export function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}
