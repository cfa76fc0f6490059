/** What decodes a stream of `plugin.name`. */
import type { SourceOffset } from '@millrace/sdk';
import type { Session } from '../session';
import { DecoderbufsDecoder } from './decoderbufs/decoderbufs-decoder';
import type { FrameQueue } from './frame-queue';
import { QueuedMessages, type MessageSource } from './message-source';
import { PgoutputDecoder } from './pgoutput-decoder';
import type { Position } from './position';
import type { StreamDecoder } from './stream-decoder';
import { StreamedTransactions } from './streamed/streamed-transactions';
import { Wal2JsonDecoder } from './wal2json/wal2json-decoder';

/** @param lastOffset see `ChangeDecoder` */
export function createDecoder(session: Session, position: Position, lastOffset: SourceOffset | null): StreamDecoder {
  switch (session.config.plugin) {
    case 'decoderbufs':
      return new DecoderbufsDecoder(session, position, lastOffset);
    case 'wal2json':
    case 'wal2json_rds':
    case 'wal2json_streaming':
    case 'wal2json_rds_streaming':
      return new Wal2JsonDecoder(session, position, lastOffset);
    default:
      return new PgoutputDecoder(session, position, lastOffset);
  }
}

/** The messages that `decoder` decodes of a new stream, which starts at its current position. */
export function createSource(session: Session, decoder: StreamDecoder, queue: FrameQueue<unknown>): MessageSource {
  const { config, relations } = session;
  if (config.plugin !== 'pgoutput') return new QueuedMessages(queue);
  // Also without pgoutput.two.phase: the slot may have been created for prepared transactions.
  return new StreamedTransactions(queue, {
    folder: config.stream.spillFolder,
    resumedAt: decoder.current.commit,
    heldAt: decoder.current.heldAt,
    onHeld: (at) => decoder.hold(at),
    onReplay: () => relations.restart(),
  });
}
