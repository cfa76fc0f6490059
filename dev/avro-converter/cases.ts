/** What a comparison asks of both converters. */
import type { Schema } from '@millrace/sdk';
import type { Settings } from './java-converter';
import type { AvroNode } from './avro-node';

export interface WriteCase {
  readonly kind: 'write';
  readonly settings: Settings;
  readonly isKey: boolean;
  /** Null: none. */
  readonly schema: Schema | null;
  readonly value: unknown;
}

export interface ReadCase {
  readonly kind: 'read';
  readonly settings: Settings;
  readonly isKey: boolean;
  readonly avro: AvroNode;
  /** As avro-node.ts describes it. */
  readonly value: unknown;
}

export type Case = WriteCase | ReadCase;
