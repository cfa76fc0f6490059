/** The environment variables that a JVM gets. Plugins can read them, so they are few. Pure. */

const KEPT = new Set(['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LANGUAGE', 'TZ', 'JAVA_HOME', 'LD_LIBRARY_PATH']);
const KEPT_PREFIX = 'LC_';
/** Settings of workers, Java's images' and ours, which may be secrets. No setting can pass them on. */
const NEVER = /^(?:CONNECT_|MILLRACE_|KAFKA_)/;

/** Java cannot open a file whose name has other characters than ASCII's in these locales, nor in none. */
const ASCII_LOCALE = /^(?:C|POSIX)?$/;
/** Like `C`, but for the encoding of file names. */
const UTF_8 = 'C.UTF-8';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param named of the worker's setting `jvm.environment`: names; with `*` at the end, beginnings of names
 * @param tmp the JVM's own folder for temporary files
 */
export function jvmEnvironment(env: Environment, named: readonly string[], tmp: string): Record<string, string> {
  const isNamed = (name: string): boolean =>
    named.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one));
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !NEVER.test(entry[0]) &&
      (KEPT.has(entry[0]) || entry[0].startsWith(KEPT_PREFIX) || isNamed(entry[0])),
  );
  return { ...Object.fromEntries(passed), ...fileNameLocale(env), TMPDIR: tmp };
}

/** Containers and services often have no locale. */
function fileNameLocale({ LC_ALL, LC_CTYPE, LANG }: Environment): Record<string, string> {
  if (!ASCII_LOCALE.test(LC_ALL || LC_CTYPE || LANG || '')) return {};
  return LC_ALL ? { LC_ALL: UTF_8 } : { LC_CTYPE: UTF_8 };
}
