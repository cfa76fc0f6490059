/** What the leader of the group does and knows. Source: connect-runtime §2.6 step 3. */
import type { ConnectorTaskId } from '../../connector-task-id';
import type { GroupMemberInfo } from '@millrace/kafka-client';
import { taskName } from '../../tasks/task-id';
import { decodeAssignment, decodeMetadata } from './connect-protocol';
import { LeaderAssignment, type LeaderInput } from './leader-assignment';
import { isEmpty, NO_WORK, type Work } from './work';

export class Leadership {
  private assignment: LeaderAssignment;
  /** Member id → its work. */
  private owners: ReadonlyMap<string, Work> = new Map();
  /** Member id → its REST URL. */
  private urls: ReadonlyMap<string, string> = new Map();
  private running: Work = NO_WORK;
  private revokes = false;
  private marks = false;

  constructor(
    private readonly maxDelayMs: number,
    private readonly now: () => number,
  ) {
    this.assignment = new LeaderAssignment(maxDelayMs, now);
  }

  /** Assigns all configured work. Returns each member's assignment, encoded. */
  assign(members: readonly GroupMemberInfo[], situation: Omit<LeaderInput, 'members'>): Map<string, Buffer> {
    const decoded = new Map(members.map(({ memberId, metadata }) => [memberId, decodeMetadata(metadata)]));
    const { assignments, owners, running } = this.assignment.assign({ ...situation, members: decoded });
    this.owners = owners;
    this.running = running;
    this.revokes = [...assignments].some(
      ([member, bytes]) => member !== situation.leaderId && !isEmpty(decodeAssignment(bytes).revoked),
    );
    this.marks = [...decoded.values()].every(({ marks }) => marks === true);
    this.urls = new Map([...decoded].map(([member, { url }]) => [member, url]));
    return assignments;
  }

  /** URL of the worker that runs the connector; null if unknown. */
  connectorOwner(connector: string): string | null {
    return this.owner((work) => work.connectors.includes(connector));
  }

  taskOwner(task: ConnectorTaskId): string | null {
    const name = taskName(task);
    return this.owner((work) => work.tasks.some((owned) => taskName(owned) === name));
  }

  /** Whether any member reported, when it last joined, that it was running a task of the connector. */
  wasRunningTasksOf(connector: string): boolean {
    return this.running.tasks.some((task) => task.connector === connector);
  }

  /** URLs of the members at the last assignment. */
  get workers(): Iterable<string> {
    return this.urls.values();
  }

  /** At the last assignment, all members marked their internal requests. */
  get allMark(): boolean {
    return this.marks;
  }

  /** The last assignment revokes work from other members. */
  get revokesFromOthers(): boolean {
    return this.revokes;
  }

  forgetOwners(): void {
    this.owners = new Map();
  }

  /** Forgets lost work that is still waiting for its owner to return. */
  reset(): void {
    this.assignment = new LeaderAssignment(this.maxDelayMs, this.now);
  }

  private owner(test: (work: Work) => boolean): string | null {
    for (const [member, work] of this.owners) if (test(work)) return this.urls.get(member) ?? null;
    return null;
  }
}
