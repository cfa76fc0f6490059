/** The slope of the line through the points by least squares; 0 for fewer than two different x. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([value]) => value)), mean(points.map(([, value]) => value))];
  let above = 0;
  let below = 0;
  for (const [px, py] of points) {
    above += (px - x) * (py - y);
    below += (px - x) ** 2;
  }
  return below > 0 ? above / below : 0;
}
