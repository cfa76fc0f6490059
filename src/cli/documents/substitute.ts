/**
 * Replaces `${NAME}` and `${NAME:-default}` by variables of the environment. Only names in upper case are variables, so
 * that the placeholders of config providers (`${file:/path:key}`, `${env:NAME}`) and of plugins (`${topic}`) stay as
 * they are. `$${NAME}` stands for the text `${NAME}`. Defaults are plain text. Values are not scanned again.
 */

const VARIABLE = /\$(\$\{[A-Z_][A-Z0-9_]*(?::-[^{}]*)?\})|\$\{([A-Z_][A-Z0-9_]*)(:-([^{}]*))?\}/g;

/** @throws Error for a variable that is not set and has no default */
export function substitute(text: string, env: Readonly<Record<string, string | undefined>>): string {
  if (!text.includes('${')) return text;
  return text.replace(VARIABLE, (_, escaped?: string, name = '', fallback?: string, preset = '') => {
    if (escaped !== undefined) return escaped;
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    if (fallback !== undefined) return preset as string;
    throw new Error(
      `the environment variable ${name} is not set. Set it, write \${${name}:-default}, or $\${${name}} for the text itself`,
    );
  });
}
