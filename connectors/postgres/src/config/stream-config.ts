/** Settings of the change stream other than its slot and publication (cdc-postgres §1.4, §5.4). */
import { tmpdir } from 'node:os';
import { KEY } from './keys';
import type { Settings } from './settings';

export interface StreamConfig {
  /** How the server sends transactions that have not committed. */
  readonly streaming: 'off' | 'on' | 'parallel';
  /** Folder for the changes of such transactions. */
  readonly spillFolder: string;
  /** The server sends prepared transactions at PREPARE TRANSACTION. */
  readonly twoPhase: boolean;
}

export function readStreamConfig(settings: Settings): StreamConfig {
  return {
    streaming: settings.choice(KEY.pgoutputStreaming),
    spillFolder: settings.text(KEY.pgoutputStreamingDirectory) ?? tmpdir(),
    twoPhase: settings.flag(KEY.pgoutputTwoPhase),
  };
}
