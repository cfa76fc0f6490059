/**
 * A disk that takes no more, or is ill, is told to clients as an error they know how to try again, not as a lost
 * connection.
 */
import { errorResponse } from './faults/error-response';
import type { Dispatch } from './network/connection';
import { ErrorCode } from './protocol/errors';

const DISK_TROUBLE = new Set(['EDQUOT', 'EFBIG', 'EIO', 'EMFILE', 'ENFILE', 'ENOSPC', 'EROFS']);
/** What groups and transactions keep: their clients look for the coordinator again and repeat. */
const COORDINATED = new Set([
  'AddOffsetsToTxn',
  'AddPartitionsToTxn',
  'DeleteGroups',
  'EndTxn',
  'InitProducerId',
  'OffsetCommit',
  'OffsetDelete',
  'TxnOffsetCommit',
]);

export function isDiskTrouble(error: unknown): error is NodeJS.ErrnoException {
  return DISK_TROUBLE.has((error as NodeJS.ErrnoException | null)?.code ?? '');
}

export function answeringDiskTrouble(dispatch: Dispatch, log: (line: string) => void): Dispatch {
  return async (request, context, session) => {
    try {
      return await dispatch(request, context, session);
    } catch (error) {
      if (!isDiskTrouble(error)) throw error;
      const { api, version, body } = request;
      log(`${api.name} failed: ${error.message}`);
      const errorCode = COORDINATED.has(api.name) ? ErrorCode.COORDINATOR_NOT_AVAILABLE : ErrorCode.KAFKA_STORAGE_ERROR;
      return errorResponse(api, version, body, errorCode);
    }
  };
}
