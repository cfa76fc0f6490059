/** Texts of records, signals and servers cannot look like another line of the log, in either format. */
import { formatLine, type LogEvent, type LogFormat } from '../../src/logging/format-line';
import { escapeControls } from '../../packages/texts/src/escape-controls';

const FORGED = '2026-01-01T00:00:00.000Z INFO [millrace.audit] DELETE /connectors/a by alice: 204';
const ENDS = ['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029', '\u001b[2K\u001b[1G', '\u009b2K', '\u202e'];
const UNPRINTABLE = /[^\P{C}\n\u200d]|[\p{Zl}\p{Zp}]/u;

function line(format: LogFormat, event: Partial<LogEvent>): string {
  return formatLine({ time: new Date(0), level: 'info', name: 'w', message: 'm', fields: {}, ...event }, format);
}

function eventsWith(end: string): Partial<LogEvent>[] {
  const text = `x${end}${FORGED}`;
  return [
    { message: text },
    { name: text },
    { fields: { text, [text]: 1, deep: [{ text }] } },
    { fields: { error: new Error(text, { cause: new Error(text) }) } },
    { fields: { error: Object.assign(new Error('x'), { stack: `Error: x\n    at y${end}${FORGED}`, code: text }) } },
  ];
}

test.each(ENDS.map((end) => [escapeControls(end), end]))('text: %s begins no line', (_, end) => {
  for (const event of eventsWith(end)) {
    const [first, ...rest] = line('text', event).split('\n');
    expect(first).toMatch(/^1970-01-01T00:00:00\.000Z INFO \[/);
    for (const text of rest) expect(text).toMatch(/^ {4}/);
    expect(line('text', event)).not.toMatch(UNPRINTABLE);
    expect(line('text', event)).toContain(FORGED);
  }
  expect(line('text', { message: `x${end}y` }).split('\n')).toHaveLength(1);
});

test.each(ENDS.map((end) => [escapeControls(end), end]))('JSON: %s begins no line, and is in the value', (_, end) => {
  for (const event of eventsWith(end)) {
    const text = line('json', event);
    expect(text).not.toMatch(/\n/);
    expect(text).not.toMatch(UNPRINTABLE);
    const parsed = JSON.parse(text) as { message: string; name: string };
    expect([parsed.message, parsed.name]).toEqual([event.message ?? 'm', event.name ?? 'w']);
  }
});

test('names in any script, emoji and joiners are shown as they are', () => {
  const text = 'שלום näme 👩‍👧 سلام 名前 a\\b "c"';
  expect(escapeControls(text)).toBe(text);
  expect(line('text', { message: text })).toBe(`1970-01-01T00:00:00.000Z INFO [w] ${text}`);
});
