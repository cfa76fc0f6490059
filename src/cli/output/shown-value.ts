/** Values of configs as people and programs may see them: secrets masked by the name of their key, texts bounded. */
import { isSecretName, redactText } from '../../logging/redact';

const MASK = '[hidden]';
const LONGEST = 500;
/** They would change what the terminal shows. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;

export function shownValue(key: string, value: string): string {
  return isSecretName(key) ? MASK : redactText(value, LONGEST).replace(CONTROL, ' ');
}
