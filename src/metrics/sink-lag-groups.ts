/** How far sink tasks are behind what their topics hold. Java has no such metrics. */
import type { Attribute, Group, Sample } from './attribute';
import { MAX_PARTITION_SERIES } from './client-groups';
import type { ConsumerFigures } from './open-clients';

type Figure = 'records' | 'seconds';

function perPartition(name: string, help: string, figure: Figure): Attribute<ConsumerFigures> {
  const samples = ({ partitions }: ConsumerFigures): Sample[] =>
    partitions.slice(0, MAX_PARTITION_SERIES).flatMap(({ topic, partition, [figure]: value }) => {
      return value === null ? [] : [{ labels: { topic, partition: String(partition) }, value }];
    });
  return { name, help, type: 'gauge', samples };
}

/** Over all partitions; absent while none is known. */
function maximum(name: string, help: string, figure: Figure): Attribute<ConsumerFigures> {
  const samples = ({ partitions }: ConsumerFigures): Sample[] => {
    const known = partitions.flatMap(({ [figure]: value }) => value ?? []);
    return known.length === 0 ? [] : [{ labels: {}, value: known.reduce((most, value) => Math.max(most, value), 0) }];
  };
  return { name, help, type: 'gauge', samples };
}

export const SINK_LAG: Group<ConsumerFigures> = {
  domain: 'millrace',
  name: 'sink',
  labels: ({ owner }): Record<string, string> =>
    owner === null ? {} : { connector: owner.connector, task: String(owner.task) },
  attributes: [
    perPartition('lag-records', 'Records of a partition that the task has not processed.', 'records'),
    perPartition('lag-seconds', 'Age of the oldest record of a partition that is not processed; 0: none.', 'seconds'),
    maximum('lag-records-max', 'Maximum of the records that the task has not processed in a partition.', 'records'),
    maximum('lag-seconds-max', 'Age of the oldest record that the task has not processed; 0: none.', 'seconds'),
  ],
};
