import { ConnectError, type SourceOffset } from '@millrace/sdk';

/** Only primitive values can be read back. @throws ConnectError OFFSET_NOT_PRIMITIVE */
export function checkOffset(offset: SourceOffset | null): void {
  for (const [key, value] of Object.entries(offset ?? {})) {
    const primitive = value === null || ['boolean', 'number', 'bigint', 'string'].includes(typeof value);
    if (primitive || value instanceof Uint8Array) continue;
    throw new ConnectError(
      `The source offset's member "${key}" is not a primitive value: offsets may hold null, boolean, number, bigint, string and bytes.`,
      { code: 'OFFSET_NOT_PRIMITIVE' },
    );
  }
}
