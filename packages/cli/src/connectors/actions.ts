/** What actions on a connector mean, as the manifest of its plugin declares: `GET /connectors/NAME/actions`. */
import { printable } from '../output/printable';
import { sideBySide } from '../rest/clients';
import type { ConnectClient } from '../rest/connect-client';
import { path } from '../rest/reply';

export interface Actions {
  /** By action: `stop`, `delete`, … */
  readonly effects: Readonly<Record<string, string | null>>;
  /** Null: nothing is left, or what removes it is unknown. */
  readonly delete_statement: string | null;
  /** Null: unknown. */
  readonly signals: readonly DeclaredSignal[] | null;
}

export interface DeclaredSignal {
  readonly type: string;
  readonly description: string;
  readonly example?: unknown;
}

export const actionsPath = (name: string): string => path`/connectors/${name}/actions`;

/** Undefined: of a worker that does not say, such as Java's. */
async function readActions(client: ConnectClient, name: string): Promise<Actions | undefined> {
  return await client.request<Actions | undefined>(actionsPath(name), { accept: [403, 404, 405] });
}

/** Connectors whose remainders are read. */
const MOST = 100;

/** By connector: `remainderLines`. To be read before the deletion. */
export async function readRemainders(
  client: ConnectClient,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const remainders = new Map<string, readonly string[]>();
  await sideBySide(names.slice(0, MOST), async (name) => {
    const actions = await readActions(client, name);
    if (actions) remainders.set(name, remainderLines(name, actions));
  });
  return remainders;
}

/** What a deletion leaves, and the statement that removes it, one line each; none: nothing in particular. */
function remainderLines(name: string, { effects, delete_statement: statement }: Actions): readonly string[] {
  const { delete: effect = null } = effects;
  return [
    ...(effect === null ? [] : [`${name}: its offsets and topics remain. ${effect}`]),
    ...(statement === null ? [] : [`${name}: this removes what it leaves there: ${statement}`]),
  ].map(printable);
}
