/** Recent log lines of the connector, of all workers: equal ones as one. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LogLine, LogLines } from '../../worker-api';
import { request } from '../../api/request';
import { FilterInput } from '../../parts/filter-input';
import { Checkbox, Select } from '../../parts/form';
import { formatClock, formatCount, formatNumberOf, formatTime } from '../../parts/format';
import { memo } from '../../parts/memo';
import { Empty, ErrorNotice, Notice, Skeleton } from '../../parts/placeholders';
import { printable, printableLines } from '../../parts/printable';
import { shareByKey } from '../../parts/share';
import { CopyButton, Fold } from '../../parts/trace';
import { usePoll } from '../../parts/use-poll';
import { foldedLines, keyOf, singleLines, type FoldedLine } from './folded-lines';
import { detailsPath } from './use-connector';

const LEVELS = ['ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'] as const;
type Level = (typeof LEVELS)[number];

export function LogsTab({ name }: { readonly name: string }): JSX.Element {
  const [level, setLevel] = useState<Level>('TRACE');
  const [query, setQuery] = useState('');
  const [isFollowing, setFollowing] = useState(true);
  const [isFolding, setFolding] = useState(true);
  const { data, error, refresh } = usePoll<LogLines>(async (signal, previous) => {
    const { lines, missing } = await request<LogLines>(detailsPath(name, '/logs'), { signal });
    return { lines: shareByKey(previous?.lines ?? [], lines, keyOf), missing };
  }, `logs ${name}`);
  const shown = useMemo(() => filtered(data?.lines ?? [], level, query), [data?.lines, level, query]);
  const lines = useMemo(() => (isFolding ? foldedLines : singleLines)(shown), [shown, isFolding]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines, isFollowing]);
  if (data === null) return error ? <ErrorNotice error={error} retry={refresh} /> : <Skeleton />;
  return (
    <>
      <div class="toolbar">
        <Select
          aria-label="Lowest level to show"
          value={level}
          onChange={(value) => setLevel(value as Level)}
          options={LEVELS.map((value) => [
            value,
            value === 'TRACE' ? 'All levels' : value === 'ERROR' ? 'ERROR' : `${value} and above`,
          ])}
        />
        <FilterInput label="Filter log lines" placeholder="Filter log lines" value={query} onChange={setQuery} />
        <Checkbox checked={isFolding} onChange={setFolding}>
          Equal lines once
        </Checkbox>
        <Checkbox checked={isFollowing} onChange={setFollowing}>
          Follow
        </Checkbox>
        <span class="muted" role="status">
          {formatNumberOf(shown.length, 'line')}
          {lines.length < shown.length && `, ${lines.length} different`}
        </span>
        <CopyButton text={shown.map(asText).join('\n')} label="Copy log lines" />
      </div>
      {data.missing.length > 0 && (
        <Notice kind="degraded" title="Lines of some workers are missing">
          No answer from {data.missing.map(printable).join(', ')}.
        </Notice>
      )}
      {shown.length === 0 ? (
        <Empty
          title={data.lines.length === 0 ? 'The workers have no recent lines of this connector' : 'No line matches'}
        />
      ) : (
        <div ref={box} class="log" role="region" aria-label="Log lines" tabIndex={0}>
          {lines.map(({ key, ...folded }) => (
            <Line key={key} {...folded} />
          ))}
        </div>
      )}
    </>
  );
}

const Line = memo(function Line({ line, count, first, reason, reasonAt }: Omit<FoldedLine, 'key'>): JSX.Element {
  const { at, level, worker, task, logger, text } = line;
  return (
    <div class={`log-line log-${level.toLowerCase()}`}>
      <time dateTime={new Date(at).toISOString()} title={formatTime(at)}>
        {formatClock(at)}
      </time>
      <span class="log-level">{level}</span>
      <bdi class="log-place" title={printable(`${logger} on ${worker}`)}>
        {printable(logger.split('.').pop() ?? logger)}
        {task !== null && ` task ${task}`}
      </bdi>
      <div class="log-text">
        <bdi>{printableLines(reason === null ? text : text.slice(0, text.length - reason.length - 1))}</bdi>
        {count > 1 && (
          <span class="log-count" title={`The first one at ${formatTime(first)}`}>
            {` ×${formatCount(count)} since ${formatClock(first)}`}
          </span>
        )}
        {reason !== null &&
          (reasonAt === null ? (
            <Reason text={reason} />
          ) : (
            <span class="muted"> Its reason is that of {formatClock(reasonAt)}.</span>
          ))}
      </div>
    </div>
  );
});

/** Its first line, and the others folded. */
function Reason({ text }: { readonly text: string }): JSX.Element {
  const [first = '', ...others] = text.split('\n');
  return (
    <div>
      <bdi>{printable(first)}</bdi>
      {others.length > 0 && (
        <Fold summary={formatNumberOf(others.length, 'more line')}>
          <bdi>{printableLines(others.join('\n'))}</bdi>
        </Fold>
      )}
    </div>
  );
}

function filtered(lines: readonly LogLine[], level: Level, query: string): readonly LogLine[] {
  const most = LEVELS.indexOf(level);
  const words = query.trim().toLowerCase();
  return lines.filter(
    (line) =>
      LEVELS.indexOf(line.level) <= most &&
      (words === '' || `${line.logger} ${line.worker} ${line.text}`.toLowerCase().includes(words)),
  );
}

function asText({ at, level, worker, task, logger, text }: LogLine): string {
  return `${new Date(at).toISOString()} ${level} [${logger}] ${text} (${worker}${task === null ? '' : `, task ${task}`})`;
}
