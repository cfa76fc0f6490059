/** Which connector or task a log line is about: by its fields, or by a mark that is not printed. */
import type { Subject } from './recent-lines';

type Fields = Readonly<Record<string, unknown>>;

const ABOUT = Symbol('about');

/**
 * Fields of a line whose message names the connector or task already.
 * @example logger.info(`Task ${name} is restarted`, about(id))
 */
export function about(
  { connector, task = null }: { connector: string; task?: number | null },
  fields?: Fields,
): Fields {
  return { ...fields, [ABOUT]: { connector, task } satisfies Subject };
}

export function subjectOf(fields: Fields): Subject | null {
  const marked = (fields as { readonly [ABOUT]?: Subject })[ABOUT];
  if (marked) return marked;
  const { connector, task } = fields;
  return typeof connector === 'string' ? { connector, task: typeof task === 'number' ? task : null } : null;
}
