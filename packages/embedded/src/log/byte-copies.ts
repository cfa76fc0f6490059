/** Copies of the codecs in JavaScript. Calls into the runtime cost more than the copy of a few bytes. */
const FEW_BYTES = 32;

/** Returns the end of the copy in `out`. */
export function copyLiterals(block: Buffer, at: number, count: number, out: Buffer, end: number): number {
  if (count > FEW_BYTES) block.copy(out, end, at, at + count);
  else for (let i = 0; i < count; i++) out[end + i] = block[at + i]!;
  return end + count;
}

/** The copy may overlap its source. Returns its end. */
export function copyMatch(out: Buffer, from: number, end: number, count: number): number {
  if (count > FEW_BYTES && end - from >= count) out.copyWithin(end, from, from + count);
  else if (count > FEW_BYTES && end - from === 1) out.fill(out[from]!, end, end + count);
  else for (let i = 0; i < count; i++) out[end + i] = out[from + i]!;
  return end + count;
}
