/** `partition.assignment.strategy`: Java class names and their assignors. */
import { KafkaError } from '../../errors';
import type { Assignor } from './assignor';
import { rangeAssignor } from './range';
import { roundRobinAssignor } from './round-robin';
import { cooperativeStickyAssignor, stickyAssignor } from './sticky';

const ASSIGNORS: Readonly<Record<string, Assignor>> = {
  'org.apache.kafka.clients.consumer.RangeAssignor': rangeAssignor,
  'org.apache.kafka.clients.consumer.RoundRobinAssignor': roundRobinAssignor,
  'org.apache.kafka.clients.consumer.StickyAssignor': stickyAssignor,
  'org.apache.kafka.clients.consumer.CooperativeStickyAssignor': cooperativeStickyAssignor,
};

/**
 * In order of preference (Default: range, cooperative-sticky, as in Java). A group rebalances cooperatively only
 * when every assignor of the list is cooperative, because members do not know which one will be chosen.
 */
export function parseAssignors(setting: string | undefined): readonly Assignor[] {
  if (setting === undefined || setting.trim() === '') return [rangeAssignor, cooperativeStickyAssignor];
  return setting.split(',').map((entry) => {
    const name = entry.trim();
    const found = ASSIGNORS[name] ?? Object.values(ASSIGNORS).find((assignor) => assignor.name === name);
    if (found) return found;
    throw new KafkaError(
      'INVALID_CLIENT_CONFIG',
      `Setting "partition.assignment.strategy" names ${name}, which is not one of ${Object.keys(ASSIGNORS).join(', ')}`,
    );
  });
}
