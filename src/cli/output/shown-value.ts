/** Values of configs as people and programs may see them: secrets masked by the name of their key, texts bounded. */
import { redactText } from '../../logging/redact';
import { HIDDEN, isSecret } from '../../logging/secrets';

const LONGEST = 500;
/** They would change what the terminal shows. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;

export function shownValue(key: string, value: string): string {
  return isSecret(key, value) ? HIDDEN : redactText(value, LONGEST).replace(CONTROL, ' ');
}
