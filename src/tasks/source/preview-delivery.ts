/** Passes the records of a previewed task to `SourcePreview`. Nothing is stored, and the task is not notified. */
import type { SourceOffset, SourcePartition, SourceRecord } from '@millrace/sdk';
import type { Producer } from '@millrace/kafka-client';
import type { OffsetStorage } from '../host';
import type { SourcePreview } from '../source-preview';
import type { SourceDelivery } from './source-delivery';

export class PreviewDelivery implements SourceDelivery {
  readonly exactlyOnce = false;
  readonly requests = null;
  readonly failure = null;
  readonly producer: Producer;
  private polled: SourceRecord | null = null;

  constructor(
    private readonly preview: SourcePreview,
    private readonly connector: string,
    private readonly offsets: Pick<OffsetStorage, 'write'>,
  ) {
    // Never acknowledges a record.
    this.producer = previewProducer(
      (record) => preview.onRecord(record, this.polled as SourceRecord),
      () => preview.whenReady(),
    );
  }

  async open(): Promise<void> {}
  started(): void {}
  ready(): null {
    return null;
  }

  add(polled: SourceRecord): number {
    this.polled = polled;
    return 0;
  }

  sent(): null {
    return null;
  }
  withdraw(): void {}

  refuse(): void {}

  skip(polled: SourceRecord): null {
    this.preview.onSkipped(polled);
    return null;
  }

  endBatch(): null {
    return null;
  }
  endAt(): void {}
  pause(): null {
    return null;
  }
  resume(): void {}
  forgetTopic(): void {}

  /** The environment of a preview keeps offsets in memory. */
  async storeOffset(partition: SourcePartition, offset: SourceOffset | null): Promise<void> {
    await this.offsets.write(this.connector, [[partition, offset]]);
  }

  async finish(): Promise<void> {}
  cancel(): void {}
  readonly onDelivery = (): void => undefined;
}

/** The producer of a preview: passes records to `send`, and writes none. */
export function previewProducer(send: Producer['send'], whenReady: Producer['whenReady'] = () => null): Producer {
  const nothing = async (): Promise<void> => undefined;
  return {
    connect: nothing,
    send,
    prepare: nothing,
    isPrepared: () => true,
    bufferedBytes: 0,
    whenReady,
    push: () => undefined,
    flush: nothing,
    initTransactions: nothing,
    beginTransaction: () => undefined,
    sendOffsetsToTransaction: nothing,
    commitTransaction: nothing,
    abortTransaction: nothing,
    close: nothing,
  };
}
