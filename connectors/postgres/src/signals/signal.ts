/** Signals of all channels (cdc-postgres §4.9). */
import type { JsonObject } from '@millrace/sdk';

export type SignalChannel = 'source' | 'kafka' | 'file' | 'rest';

export interface Signal {
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly channel: SignalChannel;
}
