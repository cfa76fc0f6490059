/** `{a: 1, b: "x"}` as `a=1 b="x"`. */
export function membersText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  return Object.entries(value)
    .map(([key, member]) => `${key}=${JSON.stringify(member)}`)
    .join(' ');
}
