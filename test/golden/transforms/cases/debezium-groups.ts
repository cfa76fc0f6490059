/** Cases by the file of their answers. */
import { debezium } from './debezium';
import type { Case } from './inputs';
import { outbox } from './outbox';
import { partitions } from './partitions';
import { records } from './records';
import { timeZones } from './time-zones';

export const debeziumGroups: Readonly<Record<string, readonly Case[]>> = {
  debezium,
  'debezium-outbox': outbox,
  'debezium-partitions': partitions,
  'debezium-records': records,
  'debezium-time-zones': timeZones,
};
