/** Offsets in REST requests and responses. Source: connect-rest §1.18. */
import { writeJson, type JsonObject } from '../storage/connect-json';

export { Float64, type JsonObject, type JsonValue } from '../storage/connect-json';

export interface PartitionOffset {
  /** Null: missing. */
  readonly partition: JsonObject | null;
  /** Null: reset the partition. */
  readonly offset: JsonObject | null;
}

export type OffsetChange = 'altered' | 'reset';

/** `{"offsets":[…]}` with numbers as Java writes them: `1.0` stays a float, 64-bit integers keep their digits. */
export function offsetsJson(offsets: readonly PartitionOffset[]): string {
  const entries = offsets.map(({ partition, offset }) => ({ partition, offset }));
  return writeJson({ offsets: entries });
}

/** Java's text for the user. `complete`: the connector reported that nothing else is to be done. */
export function changedMessage(change: OffsetChange, complete: boolean): string {
  if (complete) return `The offsets for this connector have been ${change} successfully`;
  return (
    `The Connect framework-managed offsets for this connector have been ${change} successfully. However, if this connector manages ` +
    `offsets externally, they will need to be manually ${change} in the system that the connector uses.`
  );
}
