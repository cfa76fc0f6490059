/** The installed plugins. They change only with the worker. */
import { request } from '../../api/request';
import { usePoll, type Polled } from '../../parts/use-poll';

export interface Plugin {
  readonly class: string;
  readonly type: string;
  readonly version?: string | null;
  /** Folder or jar, or `built-in`. */
  readonly location?: string;
}

const INTERVAL_MS = 60_000;

/** @param connectorsOnly without converters, transformations and predicates */
export function usePlugins(connectorsOnly: boolean): Polled<readonly Plugin[]> {
  return usePoll<readonly Plugin[]>(
    (signal) => request(`../connector-plugins?connectorsOnly=${connectorsOnly}&locations=true`, { signal }),
    `plugins ${connectorsOnly}`,
    INTERVAL_MS,
  );
}

/** `a.b.C` as `C`. */
export function shortName(className: string): string {
  return className.split('.').pop() || className;
}

export function keyOf(plugin: Plugin): string {
  return `${plugin.type} ${plugin.class} ${plugin.version ?? ''} ${plugin.location ?? ''}`;
}

export function matches(plugin: Plugin, query: string): boolean {
  const text = `${plugin.class} ${plugin.type} ${plugin.version ?? ''}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
