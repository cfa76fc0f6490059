/**
 * Eager assignment, for the protocol `default`: round robin over all work in every rebalance. Pure. Source:
 * connect-runtime §2.4.
 */
import type { ConnectorTaskId } from '../../connector-task-id';
import { compareTasks, compareText, type Work } from './work';

export function assignEagerly(configured: Work, members: readonly string[]): Map<string, Work> {
  const ids = [...members].sort(compareText);
  const assigned = ids.map(() => ({ connectors: [] as string[], tasks: [] as ConnectorTaskId[] }));
  let next = 0;
  const nextMember = (): { connectors: string[]; tasks: ConnectorTaskId[] } =>
    assigned[next++ % assigned.length] as { connectors: string[]; tasks: ConnectorTaskId[] };
  for (const connector of [...configured.connectors].sort(compareText)) nextMember().connectors.push(connector);
  for (const task of [...configured.tasks].sort(compareTasks)) nextMember().tasks.push(task);
  return new Map(ids.map((id, index) => [id, assigned[index] as Work]));
}
