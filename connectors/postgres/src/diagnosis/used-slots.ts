/** The slots that a config of another connector names. Pure. */
import type { ConnectorConfig } from '@millrace/sdk';
import { parseConfig } from '../config/postgres-config';
import { slotParts } from '../config/slot-part';
import type { UsedSlot } from './facts';

/** @param config placeholders may stand for values, so that it may be invalid as it is: then it names no slot */
export function usedSlots(config: ConnectorConfig): UsedSlot[] {
  try {
    return slotParts(parseConfig(config)).map(({ slot, connection }) => ({
      name: slot.name,
      database: connection.database,
    }));
  } catch {
    const { 'slot.name': name = 'debezium', 'database.dbname': database = '' } = config;
    return [{ name, database }];
  }
}
