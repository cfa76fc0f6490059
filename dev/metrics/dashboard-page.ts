/** Draws panels of the dashboard as an HTML page, in the layout of the dashboard, with uPlot. */
import { readFileSync } from 'node:fs';
import { timesOf, type GridPosition, type PanelData, type Span } from './dashboard-data';

const COLUMN_PX = 58;
const UNIT_PX = 34;
const GAP_PX = 8;
export const PAGE_WIDTH = 24 * COLUMN_PX + GAP_PX;
/** Names in a legend; others are counted. */
const LEGENDS = 4;
/** Of a panel, besides its chart: title, legend and padding. */
const FRAME_PX = 80;

/** Pixels from the top that the panels need. */
export function pageHeight(panels: readonly PanelData[]): number {
  return Math.max(...panels.map(({ gridPos: { y, h } }) => (y + h) * UNIT_PX)) + GAP_PX;
}

export function dashboardPage(panels: readonly PanelData[], span: Span): string {
  const charts = panels.map(({ series }) => series.map(({ values }) => values));
  return `<!doctype html><meta charset="utf-8"><title>Millrace</title>
<style>
${readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8')}
body { margin: 0; background: #111217; color: #ccccdc; font: 12px sans-serif; }
.panel { position: absolute; box-sizing: border-box; background: #181b1f; border: 1px solid #2b2f36; padding: 6px 8px; overflow: hidden; }
.row { background: none; border: 0; font-size: 16px; font-weight: 600; padding: 8px 0; }
h2 { font-size: 13px; font-weight: 500; margin: 0 0 2px; }
.value { font-size: 40px; color: #73bf69; text-align: center; line-height: ${4 * UNIT_PX - 50}px; }
.legend { display: inline-block; color: #9fa7b3; white-space: nowrap; margin-right: 12px; }
.legend i { display: inline-block; width: 12px; height: 3px; margin: 0 5px 3px 0; }
</style>
${panels.map(panelHtml).join('\n')}
<script>${readFileSync(require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8')}</script>
<script>
const times = ${JSON.stringify(timesOf(span))};
const charts = ${JSON.stringify(charts)};
const units = ${JSON.stringify(panels.map(unitOf))};
const colors = ${JSON.stringify(COLORS)};
const format = ${formatValue.toString()};
for (const element of document.querySelectorAll('.chart')) {
  const at = Number(element.dataset.panel);
  const axis = { stroke: '#8e95a1', grid: { stroke: '#2b2f36' }, ticks: { show: false }, font: '11px sans-serif' };
  new uPlot({
    width: element.clientWidth, height: element.clientHeight, legend: { show: false }, cursor: { show: false },
    scales: { y: { range: (_, low, high) => [Math.min(0, low), high > 0 ? high * 1.1 : 1] } },
    axes: [{ ...axis, size: 26, values: (_, ticks) => ticks.map((time) => new Date(time * 1000).toISOString().slice(11, 19)) }, { ...axis, size: 62, values: (_, ticks) => ticks.map((value) => format(value, units[at])) }],
    series: [{}, ...charts[at].map((_, i) => ({ stroke: colors[i % colors.length], width: 1.5, points: { show: false } }))],
  }, [times, ...charts[at]], element);
}
</script>`;
}

const COLORS = ['#73bf69', '#f2cc0c', '#8ab8ff', '#ff780a', '#f2495c', '#5794f2', '#b877d9', '#705da0'];

const unitOf = ({ fieldConfig }: PanelData): string => fieldConfig?.defaults.unit ?? 'none';

function place({ x, y, w, h }: GridPosition): string {
  const [left, top, width, height] = [x * COLUMN_PX + GAP_PX, y * UNIT_PX + GAP_PX, w * COLUMN_PX, h * UNIT_PX];
  return `left:${left}px;top:${top}px;width:${width - GAP_PX}px;height:${height - GAP_PX}px`;
}

function panelHtml(panel: PanelData, at: number): string {
  const { type, title, gridPos, series } = panel;
  if (type === 'row') return `<div class="panel row" style="${place(gridPos)}">${escape(title)}</div>`;
  const last = series[0]?.values.findLast((value) => value !== null);
  const content =
    type === 'stat'
      ? `<div class="value">${last == null ? 'No data' : escape(formatValue(last, unitOf(panel)))}</div>`
      : `<div class="chart" data-panel="${at}" style="height:${gridPos.h * UNIT_PX - FRAME_PX}px"></div>${legendHtml(panel)}`;
  return `<div class="panel" style="${place(gridPos)}"><h2>${escape(title)}</h2>${content}</div>`;
}

function legendHtml({ series }: PanelData): string {
  const lines = series
    .slice(0, series.length > LEGENDS ? LEGENDS - 1 : LEGENDS)
    .map(({ legend }, i) => `<span class="legend"><i style="background:${COLORS[i]}"></i>${escape(legend)}</span>`);
  const others = series.length - lines.length;
  return lines.join('') + (others > 0 ? `<span class="legend">and ${others} more</span>` : '');
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** In the units that the dashboard uses. Also runs in the page. */
export function formatValue(value: number, unit: string): string {
  const scaled = (steps: readonly (readonly [number, string])[]): string => {
    const [factor, name] = steps.find(([each]) => Math.abs(value) >= each) ?? [1, steps.at(-1)?.[1] ?? ''];
    return `${Number((value / factor).toPrecision(3))}${name}`;
  };
  switch (unit) {
    case 's':
      return scaled([
        [60, ' min'],
        [1, ' s'],
        [0.001, ' ms'],
        [Infinity, ' s'],
      ]);
    case 'ms':
      return scaled([
        [1000, ' s'],
        [1, ' ms'],
      ]);
    case 'bytes':
    case 'Bps':
      return (
        scaled([
          [1 << 30, ' GiB'],
          [1 << 20, ' MiB'],
          [1 << 10, ' KiB'],
          [1, ' B'],
        ]) + (unit === 'Bps' ? '/s' : '')
      );
    case 'percentunit':
      return `${Number((value * 100).toPrecision(3))}%`;
    default:
      return (
        scaled([
          [1e9, ' G'],
          [1e6, ' M'],
          [1000, ' K'],
          [1, ''],
        ]) + (unit === 'ops' ? '/s' : '')
      );
  }
}
