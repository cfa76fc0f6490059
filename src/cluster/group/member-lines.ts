/** Log lines about workers that joined or left the group: one plain line each. Pure. */

/** The workers that this one knows of. */
export interface KnownWorkers {
  /** Advertised REST URLs. */
  readonly urls: ReadonlySet<string>;
  /** False: there may be others. Only the leader receives the list of all members. */
  readonly complete: boolean;
}

export interface MemberLines {
  readonly lines: readonly string[];
  readonly known: KnownWorkers;
}

/**
 * @param before null: this worker was not a member
 * @param members URLs of all members; null: this worker is not the leader
 * @param delayMs until lost work is assigned to the remaining workers
 */
export function memberLines(
  before: KnownWorkers | null,
  members: Iterable<string> | null,
  leaderUrl: string,
  delayMs: number,
): MemberLines {
  if (members === null) return { lines: [], known: { urls: new Set([leaderUrl]), complete: false } };
  const known = { urls: new Set(members), complete: true };
  if (before === null) return { lines: [], known };
  const gone = [...before.urls].filter((url) => !known.urls.has(url));
  const joined = before.complete ? [...known.urls].filter((url) => !before.urls.has(url)) : [];
  const count = `${known.urls.size} ${known.urls.size === 1 ? 'worker' : 'workers'}`;
  return {
    known,
    lines: [
      ...gone.map((url) => `Worker ${shown(url)} has stopped or was lost (${count} left); ${whatFollows(delayMs)}`),
      ...joined.map((url) => `Worker ${shown(url)} has joined the group (now ${count})`),
    ],
  };
}

function whatFollows(delayMs: number): string {
  if (delayMs === 0) return 'the others run its connectors and tasks';
  return `the others run its connectors and tasks unless it returns within ${Math.ceil(delayMs / 1000)} s`;
}

/** Members choose their URLs: bounded, without control characters. */
function shown(url: string): string {
  const text = url.replace(/\/$/, '');
  return (/^[\x21-\x7e]+$/.test(text) ? text : JSON.stringify(text)).slice(0, 200);
}
