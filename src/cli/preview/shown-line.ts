/** Text of plugins and servers for a terminal: without secrets of the config and control characters. Bounded. */
import { redactText } from '../../logging/redact';

// eslint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

export function shownLine(text: string): string {
  return `${redactText(text).replace(CONTROL, '').trimEnd()}\n`;
}
