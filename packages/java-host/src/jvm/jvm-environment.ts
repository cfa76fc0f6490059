/** The environment variables that a JVM gets. Plugins can read them, so they are few. Pure. */

const KEPT = new Set(['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LANGUAGE', 'TZ', 'JAVA_HOME', 'LD_LIBRARY_PATH']);
const KEPT_PREFIX = 'LC_';
/** Settings of workers, Java's images' and ours, which may be secrets. No setting can pass them on. */
const NEVER = /^(?:CONNECT_|MILLRACE_|KAFKA_)/;

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
  return { ...Object.fromEntries(passed), TMPDIR: tmp };
}
