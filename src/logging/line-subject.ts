/**
 * Which connector or task a log line is about, and whose values of config providers it may quote: by its fields, or by
 * marks that are not printed.
 */
import type { Owners } from '@millrace/texts/redaction';

/** The connector or task that a line is about. */
export interface Subject {
  readonly connector: string;
  /** Null: the connector itself. */
  readonly task: number | null;
}

type Fields = Readonly<Record<string, unknown>>;

const ABOUT = Symbol('about');
const OWNERS = Symbol('owners');

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

/** Fields of lines that quote others than the connector that they are about. */
export function quoting(owners: Owners): Fields {
  return { [OWNERS]: owners };
}

/** Those of `quoting`, or else the connector of the line. */
export function ownersOf(fields: Fields): Owners {
  if (OWNERS in fields) return (fields as { readonly [OWNERS]: Owners })[OWNERS];
  return subjectOf(fields)?.connector ?? null;
}

export function subjectOf(fields: Fields): Subject | null {
  const marked = (fields as { readonly [ABOUT]?: Subject })[ABOUT];
  if (marked) return marked;
  const { connector, task } = fields;
  return typeof connector === 'string' ? { connector, task: typeof task === 'number' ? task : null } : null;
}
