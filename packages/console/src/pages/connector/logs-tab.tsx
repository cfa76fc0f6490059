/** Recent log lines of the connector, of all workers. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LogLine, LogLines } from '../../worker-api';
import { request } from '../../api/request';
import { FilterInput } from '../../parts/filter-input';
import { Checkbox, Select } from '../../parts/form';
import { formatClock, formatNumberOf, formatTime } from '../../parts/format';
import { memo } from '../../parts/memo';
import { Empty, ErrorNotice, Notice, Skeleton } from '../../parts/placeholders';
import { printable, printableLines } from '../../parts/printable';
import { shareByKey } from '../../parts/share';
import { CopyButton } from '../../parts/trace';
import { usePoll } from '../../parts/use-poll';
import { detailsPath } from './use-connector';

const LEVELS = ['ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'] as const;
type Level = (typeof LEVELS)[number];

export function LogsTab({ name }: { readonly name: string }): JSX.Element {
  const [level, setLevel] = useState<Level>('TRACE');
  const [query, setQuery] = useState('');
  const [isFollowing, setFollowing] = useState(true);
  const { data, error, refresh } = usePoll<LogLines>(async (signal, previous) => {
    const { lines, missing } = await request<LogLines>(detailsPath(name, '/logs'), { signal });
    return { lines: shareByKey(previous?.lines ?? [], lines, keyOf), missing };
  }, `logs ${name}`);
  const shown = useMemo(() => filtered(data?.lines ?? [], level, query), [data?.lines, level, query]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [shown, isFollowing]);
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
        <Checkbox checked={isFollowing} onChange={setFollowing}>
          Follow
        </Checkbox>
        <span class="muted" role="status">
          {formatNumberOf(shown.length, 'line')}
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
          {shown.map((line) => (
            <Line key={keyOf(line)} line={line} />
          ))}
        </div>
      )}
    </>
  );
}

const Line = memo(function Line({ line }: { readonly line: LogLine }): JSX.Element {
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
      <bdi class="log-text">{printableLines(text)}</bdi>
    </div>
  );
});

function keyOf({ worker, sequence }: LogLine): string {
  return `${worker} ${sequence}`;
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
