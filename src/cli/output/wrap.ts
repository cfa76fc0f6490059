/**
 * The text in lines of at most `columns` characters, broken at blanks. Runs of white space count as one blank; a longer
 * word has a line of its own.
 */
export function wrapText(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}
