/** A member of a group, and the selection of the protocol that all members support (Kafka's classic group protocol). */

export interface MemberProtocol {
  readonly name: string;
  readonly metadata: Buffer;
}

export interface MemberIdentity {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
}

export interface JoinRequest {
  /** Empty: the coordinator assigns one. */
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly protocolType: string;
  /** In order of preference. */
  readonly protocols: readonly MemberProtocol[];
  /**
   * Since JoinGroup v4, a new member first gets an id and joins with it, so that a lost response leaves no stale
   * member.
   */
  readonly requireKnownMemberId: boolean;
}

export interface JoinResult {
  readonly errorCode: number;
  readonly generationId: number;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly leader: string;
  readonly memberId: string;
  /** Empty unless this member is the leader. */
  readonly members: readonly { memberId: string; groupInstanceId: string | null; metadata: Buffer }[];
}

export interface SyncRequest {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly generationId: number;
  /** Null before SyncGroup v5. */
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  /** Set by the leader only. */
  readonly assignments: readonly { memberId: string; assignment: Buffer }[];
}

export interface SyncResult {
  readonly errorCode: number;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly assignment: Buffer;
}

export const NO_BYTES = Buffer.alloc(0);

export function failedJoin(errorCode: number, memberId: string): JoinResult {
  return { errorCode, generationId: -1, protocolType: null, protocolName: null, leader: '', memberId, members: [] };
}

export function failedSync(errorCode: number): SyncResult {
  return { errorCode, protocolType: null, protocolName: null, assignment: NO_BYTES };
}

export class Member {
  assignment: Buffer = NO_BYTES;
  sessionTimeoutMs = 0;
  rebalanceTimeoutMs = 0;
  clientId = '';
  clientHost = '';
  protocols: readonly MemberProtocol[] = [];
  /** Pending response of its JoinGroup request. */
  pendingJoin: ((result: JoinResult) => void) | null = null;
  /** Pending response of its SyncGroup request. */
  pendingSync: ((result: SyncResult) => void) | null = null;
  /** Its first join is pending, so it cannot send heartbeats. */
  isNew = true;
  /** It has joined this generation but not sent SyncGroup yet. */
  awaitingSync = false;
  cancelSession: (() => void) | null = null;

  constructor(
    readonly id: string,
    readonly instanceId: string | null,
  ) {}

  update(request: JoinRequest): void {
    this.sessionTimeoutMs = request.sessionTimeoutMs;
    this.rebalanceTimeoutMs = request.rebalanceTimeoutMs;
    this.clientId = request.clientId;
    this.clientHost = request.clientHost;
    this.protocols = request.protocols;
  }

  metadata(protocol: string | null): Buffer {
    return this.protocols.find(({ name }) => name === protocol)?.metadata ?? NO_BYTES;
  }

  /** Its entry in the member list that the leader receives. */
  joinedMember(protocol: string | null): JoinResult['members'][number] {
    return { memberId: this.id, groupInstanceId: this.instanceId, metadata: this.metadata(protocol) };
  }

  hasSameProtocols(protocols: readonly MemberProtocol[]): boolean {
    return (
      protocols.length === this.protocols.length &&
      protocols.every(({ name, metadata }, i) => {
        const own = this.protocols[i] as MemberProtocol;
        return own.name === name && own.metadata.equals(metadata);
      })
    );
  }
}

type Voter = Pick<Member, 'protocols'>;

/** Protocols that all members support, in the first member's order of preference. */
export function commonProtocols(members: readonly Voter[]): string[] {
  const [first, ...others] = members;
  if (first === undefined) return [];
  return first.protocols
    .map(({ name }) => name)
    .filter((name) => others.every((member) => member.protocols.some((protocol) => protocol.name === name)));
}

/** Each member votes for the first of its protocols that all support. Null if there is none, or no member. */
export function selectProtocol(members: readonly Voter[]): string | null {
  const candidates = commonProtocols(members);
  const votes = new Map<string, number>(candidates.map((name) => [name, 0]));
  for (const member of members) {
    const vote = member.protocols.find(({ name }) => votes.has(name));
    if (vote !== undefined) votes.set(vote.name, (votes.get(vote.name) as number) + 1);
  }
  let selected: string | null = null;
  for (const [name, count] of votes) if (selected === null || count > (votes.get(selected) as number)) selected = name;
  return selected;
}

/**
 * Topics of a consumer subscription: int16 version, then an array of names. Null if the metadata has another format.
 */
export function subscribedTopics(metadata: Buffer): string[] | null {
  try {
    let at = 2;
    const count = metadata.readInt32BE(at);
    at += 4;
    const topics: string[] = [];
    for (let i = 0; i < count; i++) {
      const length = metadata.readInt16BE(at);
      if (length < 0 || at + 2 + length > metadata.length) return null;
      topics.push(metadata.toString('utf8', at + 2, at + 2 + length));
      at += 2 + length;
    }
    return topics;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
