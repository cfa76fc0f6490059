/** Text of plugins and servers for a terminal: without secrets of the config and control characters. Bounded. */
import { TEXT_LIMIT } from '../../logging/bounded-text';
import { redactText } from '../../logging/redact';
import { printableLines } from '../output/printable';

export function shownLine(text: string): string {
  return `${printableLines(redactText(text, TEXT_LIMIT, null)).trimEnd()}\n`;
}
