/** Error codes in responses → KafkaError. */
import { PROTOCOL_ERRORS, type ProtocolErrorCode } from '../error-codes';
import { KafkaError, type KafkaErrorOptions } from '../errors';

export const NO_ERROR = 0;

const FENCED: ReadonlySet<ProtocolErrorCode> = new Set([
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'FENCED_INSTANCE_ID',
  'TRANSACTION_COORDINATOR_FENCED',
]);
const ABORTABLE: ReadonlySet<ProtocolErrorCode> = new Set(['TRANSACTION_ABORTABLE']);

const BY_CODE = new Map<number, (typeof PROTOCOL_ERRORS)[number]>(PROTOCOL_ERRORS.map((row) => [row[0], row]));

export function errorName(code: number): ProtocolErrorCode {
  return BY_CODE.get(code)?.[1] ?? `UNKNOWN_ERROR_CODE_${code}`;
}

/**
 * @param doing completes "Kafka could not …", for example `join group 'g'`.
 * @param options `detail`: the broker's own message, in responses that have one.
 */
export function protocolError(
  code: number,
  doing: string,
  options: Omit<KafkaErrorOptions, 'retriable'> & { detail?: string | null } = {},
): KafkaError {
  const { detail, ...rest } = options;
  const row = BY_CODE.get(code);
  const name = errorName(code);
  const text = detail != null && detail !== '' ? detail : (row?.[3] ?? `the broker returned error code ${code}`);
  return new KafkaError(name, `Kafka could not ${doing}: ${text} (${name})`, {
    fenced: FENCED.has(name),
    abortable: ABORTABLE.has(name),
    ...rest,
    retriable: row?.[2] ?? false,
  });
}
