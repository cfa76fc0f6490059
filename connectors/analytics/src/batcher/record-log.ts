/** The original records of a file, kept next to it on disk for the dead letter queue. */
import { appendFile, open, rm } from 'node:fs/promises';
import type { ConnectValue, Schema, SinkRecord } from '@millrace/sdk';
import { jsonText } from '../records/json-value';

export interface RawRecord {
  readonly offset: number;
  readonly timestamp: number | null;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly (readonly [string, Buffer | null])[];
}

export function rawRecord(record: SinkRecord): RawRecord {
  return {
    offset: record.originalOffset,
    timestamp: record.timestamp,
    key: rawBytes(record.keySchema, record.key),
    value: rawBytes(record.valueSchema, record.value),
    headers: record.headers.map(({ key, schema, value }) => [key, rawBytes(schema, value)] as const),
  };
}

/** Text and bytes unchanged; other values as JSON, because their original bytes are not known here. */
function rawBytes(schema: Schema | null, value: ConnectValue): Buffer | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value);
  return Buffer.from(typeof value === 'string' ? value : jsonText(schema, value));
}

export class RecordLog {
  private pending: string[] = [];

  constructor(private readonly path: string) {}

  append(record: SinkRecord): void {
    const { offset, timestamp, key, value, headers } = rawRecord(record);
    const text = (bytes: Buffer | null): string | null => bytes && bytes.toString('base64');
    this.pending.push(
      JSON.stringify([offset, timestamp, text(key), text(value), headers.map(([name, bytes]) => [name, text(bytes)])]),
    );
  }

  async drain(): Promise<void> {
    if (this.pending.length === 0) return;
    const lines = `${this.pending.join('\n')}\n`;
    this.pending = [];
    await appendFile(this.path, lines, { mode: 0o600 });
  }

  /** @throws Error when the log cannot be read. */
  async *read(): AsyncGenerator<RawRecord> {
    const file = await open(this.path);
    for await (const line of file.readLines()) {
      const [offset, timestamp, key, value, headers] = JSON.parse(line) as [
        number,
        number | null,
        string | null,
        string | null,
        [string, string | null][],
      ];
      const bytes = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text, 'base64'));
      yield {
        offset,
        timestamp,
        key: bytes(key),
        value: bytes(value),
        headers: headers.map(([name, text]) => [name, bytes(text)] as const),
      };
    }
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}
