/** CRC-32C of record batches: native if @node-rs/crc32 can be loaded, otherwise slicing-by-8, which is slower. */
import { checksumFunction } from '../checksum';
import { nativePackage } from '../native-package';

/** Castagnoli. */
const POLYNOMIAL = 0x82f63b78;

/** Exported for comparison with the native package. */
export const portableCrc32c = checksumFunction(POLYNOMIAL);

/** Returns an unsigned 32-bit number. */
export const crc32c: (bytes: Uint8Array) => number =
  nativePackage<{ crc32c(input: Uint8Array): number }>('@node-rs/crc32')?.crc32c ?? portableCrc32c;
