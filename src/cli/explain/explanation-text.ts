import type { ErrorEntry } from '../../logging/error-page';

const COLUMNS = 100;
const INDENT = '  ';

/** @param columns width of the terminal; 0 or undefined if unknown */
export function explanationText(entries: readonly ErrorEntry[], columns?: number): string {
  const width = Math.max(columns || COLUMNS, 40);
  return entries
    .map(({ code, area, happened, cure }) =>
      [`${code}: ${area}`, '', ...wrap(happened, width), '', `${INDENT}What to do:`, ...wrap(cure, width), ''].join(
        '\n',
      ),
    )
    .join('\n');
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && INDENT.length + line.length + 1 + word.length > width) {
      lines.push(INDENT + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, INDENT + line];
}
