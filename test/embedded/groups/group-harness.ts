/** Members that join and sync one group, and remember what they were answered. */
import { Group } from '../../../packages/embedded/src/groups/group';
import type { JoinRequest, JoinResult, SyncResult } from '../../../packages/embedded/src/groups/member';
import { FakeClock } from '../fake-clock';

export const SESSION_MS = 10_000;
export const REBALANCE_MS = 60_000;

export interface Answer<T> {
  /** Null while the coordinator keeps the member waiting. */
  value: T | null;
}

export const got = <T>(answer: Answer<T>): T => {
  if (answer.value === null) throw new Error('The coordinator has not answered yet');
  return answer.value;
};

export class GroupHarness {
  readonly clock = new FakeClock();
  readonly settled: string[] = [];
  readonly group: Group;

  constructor(initialRebalanceDelayMs = 0) {
    this.group = new Group('g', this.clock, { initialRebalanceDelayMs }, (group) =>
      this.settled.push(`${group.state} ${group.generation}`),
    );
  }

  join(request: Partial<JoinRequest> = {}): Answer<JoinResult> {
    const answer: Answer<JoinResult> = { value: null };
    this.group.join(
      {
        memberId: '',
        groupInstanceId: null,
        clientId: 'client',
        clientHost: '/127.0.0.1',
        sessionTimeoutMs: SESSION_MS,
        rebalanceTimeoutMs: REBALANCE_MS,
        protocolType: 'consumer',
        protocols: [{ name: 'range', metadata: Buffer.from('m') }],
        requireKnownMemberId: false,
        ...request,
      },
      (value) => (answer.value = value),
    );
    return answer;
  }

  sync(
    joined: { memberId: string; generationId: number },
    assignments: Record<string, string> = {},
    groupInstanceId: string | null = null,
  ): Answer<SyncResult> {
    const answer: Answer<SyncResult> = { value: null };
    this.group.sync(
      {
        memberId: joined.memberId,
        groupInstanceId,
        generationId: joined.generationId,
        protocolType: null,
        protocolName: null,
        assignments: Object.entries(assignments).map(([memberId, text]) => ({
          memberId,
          assignment: Buffer.from(text),
        })),
      },
      (value) => (answer.value = value),
    );
    return answer;
  }

  heartbeat(joined: { memberId: string; generationId: number }, groupInstanceId: string | null = null): number {
    return this.group.heartbeat({ memberId: joined.memberId, groupInstanceId }, joined.generationId);
  }

  leave(memberId: string, groupInstanceId: string | null = null): number {
    return this.group.leave({ memberId, groupInstanceId });
  }

  /** A stable group of `count` members, the leader first. */
  stable(count: number, request: (index: number) => Partial<JoinRequest> = () => ({})): JoinResult[] {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) {
      const last = this.join(request(i));
      const rejoins = ids.map((memberId, j) => this.join({ ...request(j), memberId }));
      ids.push(got(last).memberId);
      if (i < count - 1) continue;
      const joined = [...rejoins, last].map(got);
      const instance = (j: number): string | null => request(j).groupInstanceId ?? null;
      joined.forEach((each, j) => j > 0 && this.sync(each, {}, instance(j)));
      this.sync(joined[0] as JoinResult, Object.fromEntries(ids.map((id, j) => [id, `a${j}`])), instance(0));
      return joined;
    }
    return [];
  }
}
