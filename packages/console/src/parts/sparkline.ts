/** Geometry of the small charts. */
export const WIDTH = 96;
export const HEIGHT = 24;
const MARGIN = 2;

/**
 * @param rates oldest first; null: a gap
 * @param slots numbers that fit: fewer are at the right, as the newest
 * @returns the path of an SVG, empty without any number
 */
export function sparklinePath(rates: readonly (number | null)[], slots = rates.length): string {
  const top = Math.max(...rates.map((rate) => rate ?? 0), 0) || 1;
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, slots - 1);
  const commands: string[] = [];
  rates.forEach((rate, index) => {
    if (rate === null) return;
    const x = round(WIDTH - MARGIN - (rates.length - 1 - index) * step);
    const y = round(HEIGHT - MARGIN - (Math.max(0, rate) / top) * (HEIGHT - 2 * MARGIN));
    const isFirst = (rates[index - 1] ?? null) === null;
    // A number between two gaps is a dot: a line of no length with round ends.
    const isAlone = isFirst && (rates[index + 1] ?? null) === null;
    commands.push(`${isFirst ? 'M' : 'L'}${x} ${y}${isAlone ? 'h0' : ''}`);
  });
  return commands.join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
