/** Bars of old and new figures as SVG, each row on its own scale, with a mark at the target. */
import { targetOf, type Row, type Value } from './results';

const WIDTH = 800;
const LABEL = 350;
const BARS = 290;
const ROW = 46;
const TOP = 52;

const escaped = (text: string): string => text.replace(/[<>&"]/g, (char) => `&#${char.charCodeAt(0)};`);

const shown = (value: Value, unit: string): string =>
  value === null ? 'not measured' : `${value >= 1000 ? Math.round(value).toLocaleString('en') : value} ${unit}`.trim();

/** The picture has its own light background: a page may be dark. */
export function bars(title: string, rows: readonly Row[]): string {
  const height = TOP + rows.length * ROW + 34;
  const parts = rows.map((row, at) => {
    const y = TOP + at * ROW;
    const target = targetOf(row);
    const most = Math.max(row.before ?? 0, row.after ?? 0, target ?? 0, Number.EPSILON) * 1.05;
    const x = (value: number): number => Math.round((Math.max(0, value) / most) * BARS * 10) / 10;
    const bar = (value: Value, top: number, kind: 'old' | 'new'): string =>
      `<rect class="${kind}" x="${LABEL}" y="${top}" width="${x(value ?? 0)}" height="13"/>` +
      `<text class="v" x="${LABEL + BARS + 10}" y="${top + 11}">${escaped(shown(value, row.unit))}</text>`;
    const mark = target === null ? null : LABEL + x(target);
    return (
      `<text x="${LABEL - 10}" y="${y + 20}" text-anchor="end">${escaped(row.what.replaceAll('`', ''))}</text>` +
      bar(row.before, y + 2, 'old') +
      bar(row.after, y + 17, 'new') +
      (mark === null ? '' : `<line x1="${mark}" x2="${mark}" y1="${y - 2}" y2="${y + 34}"/>`)
    );
  });
  const y = height - 22;
  const legend =
    `<rect class="old" x="${LABEL}" y="${y}" width="13" height="13"/><text class="v" x="${LABEL + 19}" y="${y + 11}">old</text>` +
    `<rect class="new" x="${LABEL + 60}" y="${y}" width="13" height="13"/><text class="v" x="${LABEL + 79}" y="${y + 11}">new</text>` +
    `<line x1="${LABEL + 127}" x2="${LABEL + 127}" y1="${y - 2}" y2="${y + 15}"/><text class="v" x="${LABEL + 135}" y="${y + 11}">target</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, -apple-system, Segoe UI, sans-serif" font-size="13" role="img" aria-label="${escaped(title)}">
<style>.h{font-weight:700;font-size:15px}text{fill:#0f172a}.v{font-size:12px;fill:#334155}.old{fill:#94a3b8}.new{fill:#0f766e}line{stroke:#c2410c;stroke-width:2}</style>
<rect width="${WIDTH}" height="${height}" rx="8" fill="#f8fafc" stroke="#cbd5e1"/>
<text class="h" x="20" y="30">${escaped(title)}</text>
${parts.join('\n')}
${legend}
</svg>
`;
}
