/** Tables that share a topic, and schema names that become the same (cdc-postgres §7.1, §7.2). */
import { ConnectError, type Logger } from '@millrace/sdk';

export class NameConflicts {
  private readonly tables = new Map<string, string>();
  private readonly originals = new Map<string, string>();

  constructor(private readonly logger: Logger) {}

  /** Warns once per topic and table. */
  topic(topic: string, table: string): void {
    const other = this.tables.get(topic);
    this.tables.set(topic, table);
    if (other !== undefined && other !== table)
      this.logger.warn(
        `Tables ${other} and ${table} are both published to topic ${topic}: rows with the same key replace each other there.`,
      );
  }

  /** Throws ConnectError `PG_CONFIG` when another name was adjusted to the same one. */
  schema(original: string, adjusted: string): string {
    const other = this.originals.get(adjusted);
    if (other === undefined) {
      this.originals.set(adjusted, original);
      if (adjusted !== original)
        this.logger.warn(`The schema name ${original} is not valid for Avro; it is published as ${adjusted}.`);
    } else if (other !== original)
      throw new ConnectError(
        `The Kafka Connect schema name '${original}' is not a valid Avro schema name and its replacement '${adjusted}' conflicts with another different schema '${other}'. Set schema.name.adjustment.mode to avro_unicode or none, or leave one of the tables out.`,
        { code: 'PG_CONFIG', place: { schema: original } },
      );
    return adjusted;
  }
}
