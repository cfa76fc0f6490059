/** A section that the connector's plugin declares. */
import type { JSX } from 'preact';
import type { Figure, Panel, PanelRow } from '../../worker-api';
import { formatBytes, formatCount, formatDuration, formatHex64, formatNumberOf, UNKNOWN } from '../../parts/format';
import { Notice } from '../../parts/placeholders';
import { printable } from '../../parts/printable';
import { Name, Text } from '../../parts/text';
import { Fact } from './facts';

type Progress = NonNullable<Panel['progress']>;

export function PanelSection({ panel, id }: { readonly panel: Panel; readonly id: string }): JSX.Element {
  const { title, state, notice, facts, progress } = panel;
  return (
    <section class="section" aria-labelledby={id}>
      <h2 id={id}>
        {printable(title)}
        {state && <span class="muted"> {filled(state)}</span>}
      </h2>
      {notice && (
        <Notice kind={notice.kind} title={printable(notice.title)}>
          {filled(notice.text)}
        </Notice>
      )}
      {facts.length > 0 && (
        <dl class="fact-list">
          {facts.map(({ title: label, figure, unknown }) => (
            <Fact key={label} label={printable(label)}>
              {figure.value === null ? <Text>{unknown ?? UNKNOWN}</Text> : <Value figure={figure} />}
            </Fact>
          ))}
        </dl>
      )}
      {progress && progress.rows.length > 0 && (
        <ul class="panel-rows">
          {progress.rows.map((row) => (
            <Row key={row.name} row={row} title={title} progress={progress} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Value({ figure }: { readonly figure: Figure }): JSX.Element {
  if (typeof figure.value === 'string') return <Name>{figure.value}</Name>;
  return figure.unit === 'hex64' ? <span class="code">{textOf(figure)}</span> : <>{textOf(figure)}</>;
}

interface RowProps {
  readonly row: PanelRow;
  readonly title: string;
  readonly progress: Progress;
}

function Row({ row: { name, percent, count }, title, progress: { noun, isActive } }: RowProps): JSX.Element {
  const share = percent === null ? (isActive ? 'waiting' : 'done') : textOf({ value: percent, unit: 'percent' });
  const counted = count === null ? '' : textOf({ value: count, unit: 'count', noun });
  return (
    <li>
      <Name>{name}</Name>
      {percent === null && isActive ? (
        <span />
      ) : (
        <progress max={100} value={percent ?? 100} aria-label={printable(`${title} of ${name}`)} />
      )}
      <span class="number muted">{[share, counted].filter((text) => text !== '').join(', ')}</span>
    </li>
  );
}

function filled(parts: NonNullable<Panel['state']>): string {
  return printable(parts.map((part) => (typeof part === 'string' ? part : textOf(part))).join(''));
}

function textOf({ value, unit, noun = null }: Omit<Figure, 'noun'> & Partial<Pick<Figure, 'noun'>>): string {
  if (value === null || typeof value === 'string') return value ?? UNKNOWN;
  if (noun !== null) return formatNumberOf(value, ...noun);
  switch (unit) {
    case 'count':
      return formatCount(value);
    case 'bytes':
      return formatBytes(value);
    case 'seconds':
      return formatDuration(value * 1000);
    case 'percent':
      return `${Math.floor(value)} %`;
    case 'boolean':
      return value === 1 ? 'yes' : 'no';
    case 'hex64':
      return formatHex64(value);
  }
}
