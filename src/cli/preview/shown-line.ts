/** Text of plugins and servers for a terminal: without secrets of the config and control characters. Bounded. */
import { redactText } from '../../logging/redact';
import { printableLines } from '../output/printable';

export function shownLine(text: string): string {
  return `${printableLines(redactText(text)).trimEnd()}\n`;
}
