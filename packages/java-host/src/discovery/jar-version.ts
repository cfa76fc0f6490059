/** The version of the plugins in a jar, from its manifest or its name. Pure. */

export const MANIFEST = 'META-INF/MANIFEST.MF';
/** What Java reports for a plugin without a version. */
export const UNDEFINED_VERSION = 'undefined';

/** Letters, digits and what separates them: not a placeholder that a build has left. */
const VERSION = /^[\p{L}\p{N}][\p{L}\p{N}.+_~:() -]{0,99}$/u;
const IN_NAME = /-(?<version>\d[\w.+-]*)\.(?:jar|zip)$/i;

/** Null: it is no version, or a placeholder that a build has left. */
export function versionText(text: string | null): string | null {
  const trimmed = text?.trim() ?? '';
  return VERSION.test(trimmed) ? trimmed : null;
}

/** @param manifest the start of it; sections after the first one are about single entries */
export function implementationVersion(manifest: string): string | null {
  const [main = ''] = manifest.replace(/\r\n?/g, '\n').split('\n\n', 1);
  // Lines are broken after 72 bytes.
  for (const line of main.replaceAll('\n ', '').split('\n')) {
    const [, value] = /^Implementation-Version:(.*)$/i.exec(line) ?? [];
    if (value !== undefined) return versionText(value);
  }
  return null;
}

/** `connect-file-4.3.1.jar` → `4.3.1`. */
export function versionInName(fileName: string): string | null {
  const version = IN_NAME.exec(fileName)?.groups?.version;
  return versionText(version ?? null);
}
