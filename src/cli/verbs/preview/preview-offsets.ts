/** The offsets of a preview: in memory, from a file in the form of the REST API. */
import { ConnectError, type SourceOffset, type SourcePartition } from '@millrace/sdk';
import { isJsonObject, type JsonObject, type JsonValue, plainValue, readJson } from '../../../storage/connect-json';
import { partitionIdentity, requirePrimitives } from '../../../storage/offsets/offset-keys';
import type { NewOffsets, OffsetRecords, OffsetStorage, StoredOffsets } from '../../../tasks/host';

type Pair = readonly [JsonObject | null, JsonObject | null];

/** @throws ConnectError `PREVIEW_OFFSETS` */
export function parseOffsets(text: Buffer, file: string): readonly Pair[] {
  const wrong = (why: string): ConnectError =>
    new ConnectError(`Cannot read offsets from ${file}: ${why}. Save what GET /connectors/NAME/offsets returns.`, {
      code: 'PREVIEW_OFFSETS',
    });
  let document: JsonValue;
  try {
    document = readJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw wrong(error.message);
    throw error;
  }
  const list = isJsonObject(document) ? document.offsets : undefined;
  if (!Array.isArray(list)) throw wrong('there is no list "offsets"');
  return list.map((entry: JsonValue, i): Pair => {
    const { partition = null, offset = null } = isJsonObject(entry) ? entry : { partition: 0, offset: null };
    const isMap = (value: JsonValue): value is JsonObject | null => value === null || isJsonObject(value);
    if (!isMap(partition) || !isMap(offset)) throw wrong(`entry ${i + 1} has no objects "partition" and "offset"`);
    try {
      requirePrimitives(partition, offset);
    } catch (error) {
      throw wrong((error as Error).message);
    }
    return [partition, offset];
  });
}

export class PreviewOffsets implements OffsetStorage {
  private readonly stored = new Map<string, SourceOffset>();

  constructor(initial: readonly Pair[] = []) {
    for (const [partition, offset] of initial) this.set(partition, plainValue(offset) as SourceOffset | null);
  }

  async read(_connector: string, partitions: readonly SourcePartition[]): Promise<StoredOffsets> {
    return partitions.map((partition) => this.stored.get(partitionIdentity(partition)) ?? null);
  }

  async write(_connector: string, offsets: NewOffsets): Promise<void> {
    for (const [partition, offset] of offsets) {
      requirePrimitives(partition, offset);
      this.set(partition, offset);
    }
  }

  /** Only exactly-once tasks call it, and a preview runs none. */
  async encode(): Promise<OffsetRecords> {
    return { topic: '', records: [] };
  }
  async copy(): Promise<void> {}

  private set(partition: SourcePartition | JsonObject | null, offset: SourceOffset | null): void {
    const key = partitionIdentity(partition);
    if (offset === null) this.stored.delete(key);
    else this.stored.set(key, offset);
  }
}
