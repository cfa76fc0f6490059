/** Java objects that a chunk key may contain (cdc-postgres §6.4). */
export type JavaValue =
  | null
  | { readonly type: 'Integer' | 'Short' | 'Long'; readonly value: bigint }
  | { readonly type: 'Double' | 'Float'; readonly value: number }
  | { readonly type: 'String' | 'UUID'; readonly value: string }
  | { readonly type: 'Boolean'; readonly value: boolean }
  | { readonly type: 'BigDecimal'; readonly unscaled: bigint; readonly scale: number }
  /** `java.time.LocalDate` */
  | { readonly type: 'LocalDate'; readonly year: number; readonly month: number; readonly day: number }
  /** `java.sql.Date`: midnight in the time zone of the JVM that wrote it. */
  | { readonly type: 'Date'; readonly millis: bigint }
  | { readonly type: 'byte[]'; readonly value: Buffer }
  /** `org.postgresql.util.PGobject`: a value of a type for which Java's driver has no class. */
  | { readonly type: 'PGobject'; readonly name: string; readonly value: string };

/** Java's modified UTF-8: one to three bytes per UTF-16 unit, two for U+0000. */
export function encodeModifiedUtf8(text: string): Buffer {
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0 && unit < 0x80) bytes.push(unit);
    else if (unit < 0x800) bytes.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
    else bytes.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  }
  return Buffer.from(bytes);
}

export function decodeModifiedUtf8(bytes: Buffer): string {
  const units: string[] = [];
  for (let i = 0; i < bytes.length;) {
    const first = bytes[i++] as number;
    const next = (): number => (bytes[i++] ?? 0) & 0x3f;
    if (first < 0x80) units.push(String.fromCharCode(first));
    else if (first < 0xe0) units.push(String.fromCharCode(((first & 0x1f) << 6) | next()));
    else units.push(String.fromCharCode(((first & 0x0f) << 12) | (next() << 6) | next()));
  }
  return units.join('');
}
