/** In a command that no quoting makes safe. No command line can contain it. */
const UNQUOTABLE = '\0';

/**
 * For sh, bash and zsh in single quotes; for Windows in double quotes. Left as it is if no shell changes it. A command
 * with the result may only be shown if `isRunnable`.
 */
export function shellQuote(text: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return windowsQuote(text);
  // zsh replaces a word that begins with =.
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The command is for cmd and for PowerShell. In double quotes, cmd replaces `%NAME%` and may replace `!NAME!`;
 * PowerShell replaces `$NAME`, `$(…)` and backticks. They escape quotes differently, and PowerShell has more of them.
 */
function windowsQuote(text: string): string {
  if (/^[\w+:./\\-]+$/.test(text)) return text;
  // A last backslash would escape the closing quote for the program.
  // eslint-disable-next-line no-control-regex
  return /["%!$`\u201c-\u201e\x00-\x1f]|\\$/.test(text) ? UNQUOTABLE : `"${text}"`;
}

/** Whether the shell passes every quoted text of the command unchanged. */
export function isRunnable(command: string): boolean {
  return !command.includes(UNQUOTABLE);
}
