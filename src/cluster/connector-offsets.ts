/** Offsets as REST asks for them and gives them. Source: connect-rest §1.18. */
import { writeJson } from '../storage/connect-json-writer';
import type { JsonObject } from '../storage/json-values';

export { Float64, type JsonObject, type JsonValue } from '../storage/json-values';

export interface PartitionOffset {
  /** Null: not given. */
  readonly partition: JsonObject | null;
  /** Null: the partition is to start anew. */
  readonly offset: JsonObject | null;
}

/** What a change of offsets was asked to do. */
export type OffsetChange = 'altered' | 'reset';

/** `{"offsets":[…]}` with numbers as Java writes them: `1.0` stays a float, 64-bit integers keep their digits. */
export function offsetsJson(offsets: readonly PartitionOffset[]): string {
  const entries = offsets.map(({ partition, offset }) => ({ partition, offset }));
  return writeJson({ offsets: entries });
}

/** What the user is told; `complete`: the connector has said that nothing else is to be done. */
export function changedMessage(change: OffsetChange, complete: boolean): string {
  if (complete) return `The offsets for this connector have been ${change} successfully`;
  return (
    `The Connect framework-managed offsets for this connector have been ${change} successfully. However, if this connector manages ` +
    `offsets externally, they will need to be manually ${change} in the system that the connector uses.`
  );
}
