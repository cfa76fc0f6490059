/** For sh, bash and zsh in single quotes; for Windows in double quotes. Left as it is if no shell changes it. */
export function shellQuote(text: string, platform: NodeJS.Platform = process.platform): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return platform === 'win32' ? `"${text.replaceAll('"', '\\"')}"` : `'${text.replaceAll("'", `'\\''`)}'`;
}
