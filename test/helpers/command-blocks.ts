/**
 * Code blocks of Markdown with the comment before them, which states how a block of commands is tested:
 *
 * - `<!-- test: NAME -->`: test/integration/documentation/NAME.test.ts runs it, after those of that name before it.
 *   Options follow, each after a semicolon: see `BlockOptions`, and `ctrl-c`, which ends what runs in the background.
 * - `<!-- tested by: FILE -->`: that test runs these commands.
 * - `<!-- not run: REASON -->`.
 *
 * A block `text output` after a run block is what the commands print: `…` stands for any text of a line, and a line
 * with nothing else for any lines. A block with `file=NAME` and such a comment is written to a file.
 */

export interface BlockOptions {
  /** The command keeps running, in a terminal of its own; the next block follows when it has printed this text. */
  readonly until?: string;
  /** It is interactive, so it needs a real terminal. */
  readonly terminal: boolean;
  /** Its exit code. (Default: 0) */
  readonly exit: number;
  /** Repeated until it prints its output, because that takes a moment. */
  readonly eventually: boolean;
  /** In a comment without a block: what the test does then, which no command of the page does. */
  readonly action?: string;
}

export type Marker =
  | ({ readonly kind: 'test'; readonly scenario: string; readonly ctrlC: boolean } & BlockOptions)
  | { readonly kind: 'tested by'; readonly file: string }
  | { readonly kind: 'not run'; readonly reason: string };

export interface Block {
  /** Number of its first line; of the comment, if it is without a block. */
  readonly line: number;
  /** Empty: indented, or without a language. Null: a comment without a block. */
  readonly language: string | null;
  /** Name of `file=NAME`. */
  readonly file?: string;
  readonly text: string;
  readonly marker?: Marker;
  /** Of the block `text output` after it. */
  readonly output?: string;
}

const COMMENT = /^<!-- (test|tested by|not run): (.+) -->$/;
const FENCE = /^( *)(`{3,})(.*)$/;
const INDENTED = /^ {4}(?! *(?:[-*]|\d+\.) )/;

export function blocksIn(markdown: string): readonly Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  let pending: { marker: Marker; line: number } | undefined;
  const endMarker = (): void => {
    if (pending) blocks.push({ language: null, text: '', ...pending });
    pending = undefined;
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const comment = COMMENT.exec(line);
    const fence = FENCE.exec(line);
    if (comment) {
      endMarker();
      pending = { marker: markerOf(comment[1] as string, comment[2] as string), line: i + 1 };
    } else if (fence) {
      const [, indent = '', ticks = '', info = ''] = fence;
      const end = lines.findIndex((one, at) => at > i && one.trim() === ticks);
      const [language = '', ...words] = info.split(' ');
      const text = lines
        .slice(i + 1, end)
        .map((one) => one.slice(indent.length))
        .join('\n');
      const before = blocks.at(-1);
      if (language === 'text' && words.includes('output') && before)
        blocks[blocks.length - 1] = { ...before, output: text };
      else {
        const file = words.find((word) => word.startsWith('file='))?.slice('file='.length);
        blocks.push({ line: i + 2, language, ...(file && { file }), text, ...(pending && { marker: pending.marker }) });
      }
      pending = undefined;
      i = end;
    } else if (INDENTED.test(line) && (lines[i - 1] ?? '').trim() === '') {
      const end = lines.findIndex((one, at) => at > i && one.trim() !== '' && !one.startsWith('    '));
      const own = lines.slice(i, end === -1 ? lines.length : end);
      blocks.push({
        line: i + 1,
        language: '',
        text: own
          .map((one) => one.slice(4))
          .join('\n')
          .trimEnd(),
      });
      i += own.length - 1;
    } else if (line.trim() !== '') endMarker();
  }
  endMarker();
  return blocks;
}

function markerOf(kind: string, text: string): Marker {
  if (kind === 'not run') return { kind, reason: text };
  if (kind === 'tested by') return { kind, file: text };
  const [scenario = '', ...options] = text.split('; ');
  const valueOf = (name: string): string | undefined =>
    options.find((one) => one.startsWith(`${name} `))?.slice(name.length + 1);
  const known = /^(?:until .+|exit \d+|eventually|terminal|ctrl-c|do .+)$/;
  const unknown = options.find((one) => !known.test(one));
  if (unknown !== undefined) throw new Error(`Unknown option "${unknown}" of <!-- test: ${text} -->`);
  const until = valueOf('until');
  const action = valueOf('do');
  return {
    kind: 'test',
    scenario,
    ctrlC: options.includes('ctrl-c'),
    ...(until !== undefined && { until }),
    ...(action !== undefined && { action }),
    terminal: options.includes('terminal'),
    exit: Number(valueOf('exit') ?? 0),
    eventually: options.includes('eventually'),
  };
}

/** Whether readers are to type it into a shell. */
export const isShell = ({ language }: Block): boolean => /^(?:sh|bash|console)$/.test(language ?? '');

const PROGRAMS =
  /^(?:\w+=\S+ )*(?:\$ )?(?:aws|cat|curl|docker|echo|git|helm|kafka-\S+|kubectl|millrace|mkdir|node|npm|npx|podman|psql|sudo|systemctl|tail)\b/m;

/** A block that looks like commands, but does not say so. */
export const isUnlabelledShell = ({ language, text }: Block): boolean => language === '' && PROGRAMS.test(text);
