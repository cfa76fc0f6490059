/** CRC-32 of text: of node:zlib from Node 20.15 and 22.2 on, otherwise in JavaScript. */
import * as zlib from 'node:zlib';
import { checksumFunction } from '../checksum';

const POLYNOMIAL = 0xedb88320;

/** Exported for comparison with node:zlib. */
export const portableCrc32 = checksumFunction(POLYNOMIAL);

const builtIn = (zlib as { crc32?: (text: string) => number }).crc32;

/** Returns an unsigned 32-bit number. */
export const crc32: (text: string) => number = builtIn ?? ((text) => portableCrc32(Buffer.from(text)));
