/** Maps disk failures to retriable Kafka errors, instead of closing the connection. */
import { ErrorCode } from '../protocol/errors';
import { errorResponse } from './error-response';
import type { Dispatch } from './handler';

const DISK_FAILURES = new Set(['EDQUOT', 'EFBIG', 'EIO', 'EMFILE', 'ENFILE', 'ENOSPC', 'EROFS']);
/** For these, clients retry COORDINATOR_NOT_AVAILABLE: they look up the coordinator again and repeat the request. */
const COORDINATOR_APIS = new Set([
  'AddOffsetsToTxn',
  'AddPartitionsToTxn',
  'DeleteGroups',
  'EndTxn',
  'InitProducerId',
  'OffsetCommit',
  'OffsetDelete',
  'TxnOffsetCommit',
]);

export function isDiskFailure(error: unknown): error is NodeJS.ErrnoException {
  return DISK_FAILURES.has((error as NodeJS.ErrnoException | null)?.code ?? '');
}

export function withStorageErrors(dispatch: Dispatch, log: (line: string) => void): Dispatch {
  return async (request, context, session) => {
    try {
      return await dispatch(request, context, session);
    } catch (error) {
      if (!isDiskFailure(error)) throw error;
      const { api, version, body } = request;
      log(`${api.name} failed, returning a retriable error: ${error.message}`);
      const errorCode = COORDINATOR_APIS.has(api.name)
        ? ErrorCode.COORDINATOR_NOT_AVAILABLE
        : ErrorCode.KAFKA_STORAGE_ERROR;
      return errorResponse(api, version, body, errorCode);
    }
  };
}
