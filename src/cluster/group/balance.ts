/** Balances connectors and tasks over members, each separately. Pure. Source: connect-runtime §2.5. */
import type { ConnectorTaskId } from '../../connector-task-id';
import { compareTasks, compareText, type Work } from './work';

/** A member's share, mutable while it is computed. */
export interface Share {
  readonly member: string;
  connectors: string[];
  tasks: ConnectorTaskId[];
}

/**
 * The items to revoke from members with more than their part of `total`: for each member, items from the front of its
 * list. Null when the load is balanced.
 */
function excess<T>(total: number, loads: readonly (readonly T[])[]): T[][] | null {
  const minimum = Math.floor(total / loads.length);
  const extra = total % loads.length;
  const withOneMore = loads.filter((load) => load.length === minimum + 1).length;
  const exact = loads.filter((load) => load.length === minimum).length;
  if (withOneMore === extra && exact === loads.length - extra) return null;
  let extrasGiven = 0;
  return loads.map((load) => {
    if (load.length <= minimum) return [];
    const allowed = extrasGiven < extra ? minimum + 1 : minimum;
    if (extrasGiven < extra) extrasGiven++;
    return load.slice(0, Math.max(0, load.length - allowed));
  });
}

/** The work to revoke so that the load becomes balanced, by member. All configured items count, running or not. */
export function balancingRevocations(configured: Work, shares: readonly Share[]): Map<string, Work> {
  const revocations = new Map<string, Work>();
  const nothingRuns = shares.every((share) => share.connectors.length === 0 && share.tasks.length === 0);
  if (nothingRuns || (configured.connectors.length === 0 && configured.tasks.length === 0)) return revocations;
  const connectors = excess(
    configured.connectors.length,
    shares.map((share) => share.connectors),
  );
  const tasks = excess(
    configured.tasks.length,
    shares.map((share) => share.tasks),
  );
  shares.forEach(({ member }, index) => {
    const work = { connectors: connectors?.[index] ?? [], tasks: tasks?.[index] ?? [] };
    if (work.connectors.length > 0 || work.tasks.length > 0) revocations.set(member, work);
  });
  return revocations;
}

/** Places items one by one on the least loaded members, in turn. */
function place<T>(items: readonly T[], shares: readonly Share[], load: (share: Share) => T[]): void {
  const order = [...shares].sort((a, b) => load(a).length - load(b).length || compareText(a.member, b.member));
  let at = 0;
  while (at < items.length) {
    const least = load(order[0] as Share).length;
    const reach = order.findIndex((share) => load(share).length > least);
    for (const share of reach < 0 ? order : order.slice(0, reach)) {
      if (at === items.length) return;
      load(share).push(items[at++] as T);
    }
  }
}

/** Places new items first, in order, then the items of departed workers. */
export function placeItems(created: Work, lost: Work, shares: readonly Share[]): void {
  if (shares.length === 0) return;
  const connectors = [...[...created.connectors].sort(compareText), ...[...lost.connectors].sort(compareText)];
  const tasks = [...[...created.tasks].sort(compareTasks), ...[...lost.tasks].sort(compareTasks)];
  place(connectors, shares, (share) => share.connectors);
  place(tasks, shares, (share) => share.tasks);
}
