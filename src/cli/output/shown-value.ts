/** Values of configs as people and programs may see them: secrets masked by the name of their key, texts bounded. */
import { redactText } from '../../logging/redact';
import { HIDDEN, isSecret } from '../../logging/secrets';
import { printable } from './printable';

const LONGEST = 500;

export function shownValue(key: string, value: string): string {
  return isSecret(key, value) ? HIDDEN : printable(redactText(value, LONGEST));
}
