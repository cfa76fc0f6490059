/**
 * The leader's part of a rebalance: from the members' metadata to their assignments. No I/O. Source: connect-runtime
 * §2.6 step 3.
 */
import type { ConfigSnapshot } from '../../storage/config/config-snapshot';
import { encodeAssignment, type Assignment, type ConnectProtocolName, type MemberMetadata } from './connect-protocol';
import { CooperativeAssignor, type ReservingGroup } from './cooperative-assignor';
import { assignEagerly } from './eager-assignor';
import type { PastGenerations } from './reservations';
import { NO_WORK, union, type Work } from './work';
import { workerIdOf } from './group-workers';

export interface LeaderInput {
  readonly protocol: ConnectProtocolName;
  readonly members: ReadonlyMap<string, MemberMetadata>;
  readonly leaderId: string;
  readonly generation: number;
  readonly lastCompletedGeneration: number;
  /** The snapshot that the leader joined with. */
  readonly snapshot: ConfigSnapshot;
  /** The newest snapshot, used when the first one is behind a member's. */
  freshSnapshot(): ConfigSnapshot;
  /** As of the status topic. */
  readonly ranOn: PastGenerations['ranOn'];
}

export interface LeaderResult {
  /** Member id → assignment bytes. */
  readonly assignments: Map<string, Buffer>;
  /** Member id → its work after the rebalance; empty after a config mismatch. */
  readonly owners: ReadonlyMap<string, Work>;
  /** The work that members reported as running when they joined. */
  readonly running: Work;
}

export function configuredWork(snapshot: ConfigSnapshot): Work {
  const connectors = snapshot.connectors();
  return { connectors, tasks: connectors.flatMap((connector) => snapshot.tasks(connector)) };
}

export class LeaderAssignment {
  private readonly cooperative: CooperativeAssignor;

  constructor(maxDelayMs: number, now: () => number) {
    this.cooperative = new CooperativeAssignor(maxDelayMs, now);
  }

  assign(input: LeaderInput): LeaderResult {
    const { members, leaderId } = input;
    const maxOffset = Math.max(...[...members.values()].map((member) => member.configOffset));
    const wasBehind = (members.get(leaderId)?.configOffset ?? input.snapshot.offset) < maxOffset;
    const snapshot = wasBehind ? input.freshSnapshot() : input.snapshot;
    const reserving = reservingGroup(members, input.ranOn);
    const common = { leader: leaderId, leaderUrl: members.get(leaderId)?.url ?? '' };
    if (wasBehind && snapshot.offset < maxOffset)
      return this.encode(input, new Map(), (): Assignment => ({
        ...common,
        configMismatch: true,
        configOffset: maxOffset,
        assigned: NO_WORK,
        revoked: NO_WORK,
        delay: 0,
        ...(reserving?.past && { missing: reserving.past.missing }),
      }));
    const configOffset = wasBehind ? snapshot.offset : maxOffset;
    const configured = configuredWork(snapshot);
    if (input.protocol === 'default') {
      const owners = assignEagerly(configured, [...members.keys()]);
      return this.encode(input, owners, (member) => ({
        ...common,
        configMismatch: false,
        configOffset,
        assigned: owners.get(member) ?? NO_WORK,
        revoked: NO_WORK,
        delay: 0,
      }));
    }
    const { assigned, revoked, delay, owners, missing } = this.cooperative.assign({
      configured,
      members: new Map([...members].map(([member, { allocation }]) => [member, allocated(allocation)])),
      lastCompletedGeneration: input.lastCompletedGeneration,
      generation: input.generation,
      reserving,
    });
    return this.encode(input, owners, (member) => ({
      ...common,
      configMismatch: false,
      configOffset,
      assigned: assigned.get(member) ?? NO_WORK,
      revoked: revoked.get(member) ?? NO_WORK,
      delay,
      ...(reserving && { missing }),
    }));
  }

  private encode(
    { protocol, members }: LeaderInput,
    owners: ReadonlyMap<string, Work>,
    assignment: (member: string) => Assignment,
  ): LeaderResult {
    const assignments = new Map<string, Buffer>();
    for (const member of members.keys()) assignments.set(member, encodeAssignment(protocol, assignment(member)));
    return {
      assignments,
      owners,
      running: union(...[...members.values()].map((member) => allocated(member.allocation))),
    };
  }
}

/** Null if a member is Java's or cannot be identified, so that all members see Java's rules. */
function reservingGroup(
  members: ReadonlyMap<string, MemberMetadata>,
  ranOn: PastGenerations['ranOn'],
): ReservingGroup | null {
  const workers = new Map<string, string>();
  const missing = new Map<string, number>();
  // False: the group is new, or its last leader followed Java's rules.
  let continues = false;
  for (const [member, { reserves, url, allocation }] of members) {
    if (!reserves || !URL.canParse(url)) return null;
    workers.set(member, workerIdOf(url));
    if (!allocation?.missing) continue;
    continues = true;
    for (const [worker, delay] of allocation.missing) missing.set(worker, Math.max(delay, missing.get(worker) ?? 0));
  }
  return { workers, past: continues ? { ranOn, missing } : null };
}

function allocated(allocation: Assignment | null): Work {
  return allocation === null ? NO_WORK : union(allocation.assigned);
}
