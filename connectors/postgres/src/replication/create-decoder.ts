import type { SourceOffset } from '@millrace/sdk';
import type { Session } from '../session';
import { DecoderbufsDecoder } from './decoderbufs/decoderbufs-decoder';
import { Wal2JsonDecoder } from './wal2json/wal2json-decoder';
import { PgoutputDecoder } from './pgoutput-decoder';
import type { Position } from './position';
import type { StreamDecoder } from './stream-decoder';

/** The decoder of `plugin.name`. @param lastOffset see `ChangeDecoder` */
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
