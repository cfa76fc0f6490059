/** The installed plugins. They change only with the worker. */
import { request } from '../../api/request';
import type { Plugin } from '../../parts/plugin-versions';
import { usePoll, type Polled } from '../../parts/use-poll';

const INTERVAL_MS = 60_000;

/** @param connectorsOnly without converters, transformations and predicates */
export function usePlugins(connectorsOnly: boolean): Polled<readonly Plugin[]> {
  return usePoll<readonly Plugin[]>(
    (signal) => request(`../connector-plugins?connectorsOnly=${connectorsOnly}&locations=true`, { signal }),
    `plugins ${connectorsOnly}`,
    INTERVAL_MS,
  );
}

export function keyOf(plugin: Plugin): string {
  return `${plugin.type} ${plugin.class} ${plugin.version ?? ''} ${plugin.location ?? ''}`;
}
