import type { Session } from '../session';
import type { FrameQueue } from './frame-queue';
import { QueuedMessages, type MessageSource } from './message-source';
import type { StreamDecoder } from './stream-decoder';
import { StreamedTransactions } from './streamed/streamed-transactions';

/** What `decoder` decodes of a new stream, which starts at its current position. */
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
