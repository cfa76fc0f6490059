/** The command lines of `millrace` in documentation. */
import { shellCommands } from './shell-commands';

export interface CommandLine {
  /** Number of its line. Absent in a help text. */
  readonly line?: number;
  /** The arguments of `millrace`. */
  readonly args: readonly string[];
  /** In running text, rather than in a code block. */
  readonly isInline: boolean;
}

/** In code blocks of Markdown, continuation lines included, and in inline code. Other texts have inline code only. */
export function documentedCommands(text: string, isMarkdown: boolean): readonly CommandLine[] {
  const found: CommandLine[] = [];
  const lines = text.split('\n');
  let isFenced = false;
  for (let i = 0; i < lines.length; i++) {
    const line = i + 1;
    let code = lines[i] as string;
    if (code.trimStart().startsWith('```')) isFenced = !isFenced;
    else if (isMarkdown && (isFenced || /^( {4,}|\t)(?![-*] |\d+\. )/.test(code))) {
      while (code.endsWith('\\') && i + 1 < lines.length) code = `${code.slice(0, -1)}${lines[++i]}`;
      found.push(...argumentsIn(code).map((args) => ({ line, args, isInline: false })));
    } else
      for (const [, , inline = ''] of code.matchAll(/(`+)(.+?)\1(?!`)/g))
        found.push(...argumentsIn(inline).map((args) => ({ line, args, isInline: true })));
  }
  return found;
}

/** The arguments of each `millrace` of a line of shell: as a command, with npx, as `dist/main.js`, or as an image. */
export function argumentsIn(line: string): readonly (readonly string[])[] {
  return shellCommands(line).flatMap((words) => {
    const command = words.slice(words.findIndex((word) => word !== '$' && !/^[A-Z_]+=/.test(word)));
    const args = argumentsOf(command);
    return args === undefined || args.length === 0 ? [] : [args];
  });
}

function argumentsOf([first = '', ...rest]: readonly string[]): readonly string[] | undefined {
  if (first === 'millrace') return rest;
  if (first === 'nohup') return argumentsOf(rest);
  if (first === 'npx' || first === 'node') {
    const program = rest.findIndex((word) => !word.startsWith('-'));
    return /^millrace(@.*)?$|^dist\/main\.js$/.test(rest[program] ?? '') ? rest.slice(program + 1) : undefined;
  }
  if ((first === 'docker' || first === 'podman') && rest[0] === 'run') {
    // An option's value, such as that of --name, may be the same word; the image is the last one.
    const image = rest.findLastIndex((word) => /^([\w.-]+\/)*millrace(:[\w.-]+)?$/.test(word));
    return image === -1 ? undefined : rest.slice(image + 1);
  }
  return undefined;
}
