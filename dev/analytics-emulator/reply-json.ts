/** Serializes responses to JSON with 64-bit integers, which JavaScript's numbers cannot represent. */

/** A text that is already JSON. */
export class JsonText {
  constructor(readonly text: string) {}
}

export function replyJson(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value)) return `[${value.map((item) => replyJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${replyJson(member)}`)
    .join(',')}}`;
}
