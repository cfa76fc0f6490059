/** Simple commands of a line of shell, as far as documentation uses the language. Pure. */

/** Text in angle brackets that stands for a word, not a redirection. */
const PLACEHOLDER = /^<[a-z][a-z._-]*(\.\.\.)?>/;

/**
 * The words of each command: without quotes, comments and the files of redirections. Commands end at `|`, `&` and `;`;
 * those in `$(…)` and `<(…)` are commands of their own.
 */
export function shellCommands(line: string): string[][] {
  const commands: string[][] = [];
  const outer: { words: string[]; quote: string }[] = [];
  let words: string[] = [];
  let word: string | null = null;
  let quote = '';
  let isFile = false;
  const endWord = (): void => {
    if (word !== null && !isFile) words.push(word);
    if (word !== null) isFile = false;
    word = null;
  };
  const endCommand = (): void => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let i = 0; i < line.length; i++) {
    const rest = line.slice(i);
    const char = line[i] as string;
    const placeholder = quote === '' ? PLACEHOLDER.exec(rest)?.[0] : undefined;
    if (placeholder !== undefined) {
      word = `${word ?? ''}${placeholder}`;
      i += placeholder.length - 1;
    } else if (quote !== "'" && /^[$<]\(/.test(rest)) {
      outer.push({ words: [...words, word ?? ''], quote });
      [words, word, quote] = [[], null, ''];
      i++;
    } else if (quote === '' && char === ')' && outer.length > 0) {
      endCommand();
      const before = outer.pop() as { words: string[]; quote: string };
      word = before.words.pop() as string;
      ({ words, quote } = before);
    } else if (char === quote) quote = '';
    else if (char === '\\' && quote !== "'") word = `${word ?? ''}${line[++i] ?? ''}`;
    else if (quote !== '') word = `${word ?? ''}${char}`;
    else if (char === '"' || char === "'") [quote, word] = [char, word ?? ''];
    else if (char === '#' && word === null) break;
    else if (char === '>' || char === '<') {
      endWord();
      isFile = true;
    } else if ('|&;'.includes(char)) endCommand();
    else if (/\s/.test(char)) endWord();
    else word = `${word ?? ''}${char}`;
  }
  endCommand();
  return commands;
}
