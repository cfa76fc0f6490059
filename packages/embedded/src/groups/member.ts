/**
 * One member of a group, and what a group decides by looking at all of them. Source: Kafka's classic group protocol.
 */

export interface MemberProtocol {
  readonly name: string;
  readonly metadata: Buffer;
}

export interface MemberIdentity {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
}

export interface JoinRequest {
  /** Empty: the coordinator gives one. */
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly protocolType: string;
  /** In order of preference. */
  readonly protocols: readonly MemberProtocol[];
  /** Since JoinGroup v4: a member without an id is sent away with one first, so that lost answers leave no ghosts. */
  readonly requireKnownMemberId: boolean;
}

export interface JoinResult {
  readonly errorCode: number;
  readonly generationId: number;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly leader: string;
  readonly memberId: string;
  /** Empty unless this member leads. */
  readonly members: readonly { memberId: string; groupInstanceId: string | null; metadata: Buffer }[];
}

export interface SyncRequest {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly generationId: number;
  /** Null before SyncGroup v5. */
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  /** The leader's work; others send none. */
  readonly assignments: readonly { memberId: string; assignment: Buffer }[];
}

export interface SyncResult {
  readonly errorCode: number;
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly assignment: Buffer;
}

export const NO_BYTES = Buffer.alloc(0);

export function refusedJoin(errorCode: number, memberId: string): JoinResult {
  return { errorCode, generationId: -1, protocolType: null, protocolName: null, leader: '', memberId, members: [] };
}

export function refusedSync(errorCode: number): SyncResult {
  return { errorCode, protocolType: null, protocolName: null, assignment: NO_BYTES };
}

export class Member {
  assignment: Buffer = NO_BYTES;
  sessionTimeoutMs = 0;
  rebalanceTimeoutMs = 0;
  clientId = '';
  clientHost = '';
  protocols: readonly MemberProtocol[] = [];
  /** Set while the member waits for the others. */
  joining: ((result: JoinResult) => void) | null = null;
  syncing: ((result: SyncResult) => void) | null = null;
  /** Has not seen an answer to its first join, so it cannot send heartbeats. */
  isNew = true;
  /** Has the answer to its join and not yet asked for its assignment. */
  owesSync = false;
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

  /** What the leader assigns from. */
  toLeader(protocol: string | null): JoinResult['members'][number] {
    return { memberId: this.id, groupInstanceId: this.instanceId, metadata: this.metadata(protocol) };
  }

  offersTheSame(protocols: readonly MemberProtocol[]): boolean {
    return (
      protocols.length === this.protocols.length &&
      protocols.every(({ name, metadata }, i) => {
        const mine = this.protocols[i] as MemberProtocol;
        return mine.name === name && mine.metadata.equals(metadata);
      })
    );
  }
}

type Voter = Pick<Member, 'protocols'>;

/** Names that every member can speak, in the first member's order of preference. */
export function commonProtocols(members: readonly Voter[]): string[] {
  const [first, ...others] = members;
  if (first === undefined) return [];
  return first.protocols
    .map(({ name }) => name)
    .filter((name) => others.every((member) => member.protocols.some((protocol) => protocol.name === name)));
}

/**
 * Each member votes for the first of its protocols that all can speak. Null: there is no such protocol, or nobody to
 * speak it.
 */
export function electProtocol(members: readonly Voter[]): string | null {
  const candidates = commonProtocols(members);
  const votes = new Map<string, number>(candidates.map((name) => [name, 0]));
  for (const member of members) {
    const vote = member.protocols.find(({ name }) => votes.has(name));
    if (vote !== undefined) votes.set(vote.name, (votes.get(vote.name) as number) + 1);
  }
  let elected: string | null = null;
  for (const [name, count] of votes) if (elected === null || count > (votes.get(elected) as number)) elected = name;
  return elected;
}

/** Topics in a consumer's metadata: int16 version, then an array of names. Null when the bytes are something else. */
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
