/** What all pages know of the group: one poll of `api/overview`, shared, and the rates since the page was opened. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Overview } from '../worker-api';
import { request } from '../api/request';
import { setWorkerTime } from './clock';
import { joined, needsHistory, type Group } from './group';
import { usePoll, type Polled } from './use-poll';

async function load(signal: AbortSignal, previous: Group | null): Promise<Group> {
  // By the worker's clock, but from this one's time: a second's difference does not matter.
  const withHistory = needsHistory(previous, previous === null ? 0 : Date.now() + clockDifferenceMs);
  const answer = await request<Overview>(`api/overview?history=${withHistory}`, { signal });
  clockDifferenceMs = answer.at - Date.now();
  setWorkerTime(answer.at);
  return joined(previous, answer);
}
let clockDifferenceMs = 0;

export function useGroupPoll(): Polled<Group> {
  return usePoll(load, 'overview');
}

export const GroupContext = createContext<Polled<Group>>({
  data: null,
  at: null,
  error: null,
  isStale: false,
  refresh: () => undefined,
});

export function useGroup(): Polled<Group> {
  return useContext(GroupContext);
}
