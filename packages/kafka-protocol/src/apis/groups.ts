/** Consumer groups and committed offsets. */
import { api } from '../layout';

export const OFFSET_COMMIT = api({
  key: 8,
  name: 'OffsetCommit',
  versions: [2, 10],
  flexible: 8,
  request: [
    ['groupId', 'string'],
    ['generationIdOrMemberEpoch', 'int32', '1+', { default: -1 }],
    ['memberId', 'string', '1+'],
    ['groupInstanceId', 'string?', '7+'],
    ['retentionTimeMs', 'int64', '2-4', { default: -1 }],
    [
      'topics',
      [
        ['name', 'string', '2-9'],
        ['topicId', 'uuid', '10+'],
        [
          'partitions',
          [
            ['partitionIndex', 'int32'],
            ['committedOffset', 'int64'],
            ['committedLeaderEpoch', 'int32', '6+', { default: -1 }],
            ['committedMetadata', 'string?'],
          ],
        ],
      ],
    ],
  ],
  response: [
    ['throttleTimeMs', 'int32', '3+'],
    [
      'topics',
      [
        ['name', 'string', '2-9'],
        ['topicId', 'uuid', '10+'],
        [
          'partitions',
          [
            ['partitionIndex', 'int32'],
            ['errorCode', 'int16'],
          ],
        ],
      ],
    ],
  ],
});

const FETCHED_TOPICS = [
  ['name', 'string'],
  [
    'partitions',
    [
      ['partitionIndex', 'int32'],
      ['committedOffset', 'int64'],
      ['committedLeaderEpoch', 'int32', '5+', { default: -1 }],
      ['metadata', 'string?'],
      ['errorCode', 'int16'],
    ],
  ],
] as const;

/** Since version 8, a request contains several groups. */
export const OFFSET_FETCH = api({
  key: 9,
  name: 'OffsetFetch',
  versions: [1, 8],
  flexible: 6,
  request: [
    ['groupId', 'string', '0-7'],
    [
      'topics',
      [
        ['name', 'string'],
        ['partitionIndexes', '[]int32'],
      ],
      '0-7',
      { nullable: true },
    ],
    [
      'groups',
      [
        ['groupId', 'string'],
        [
          'topics',
          [
            ['name', 'string'],
            ['partitionIndexes', '[]int32'],
          ],
          '8+',
          { nullable: true },
        ],
      ],
      '8+',
    ],
    ['requireStable', 'bool', '7+'],
  ],
  response: [
    ['throttleTimeMs', 'int32', '3+'],
    ['topics', FETCHED_TOPICS, '0-7'],
    ['errorCode', 'int16', '2-7'],
    [
      'groups',
      [
        ['groupId', 'string'],
        ['topics', FETCHED_TOPICS],
        ['errorCode', 'int16'],
      ],
      '8+',
    ],
  ],
});

/** Since version 4, a request contains several keys. */
export const FIND_COORDINATOR = api({
  key: 10,
  name: 'FindCoordinator',
  versions: [0, 4],
  flexible: 3,
  request: [
    ['key', 'string', '0-3'],
    ['keyType', 'int8', '1+'],
    ['coordinatorKeys', '[]string', '4+'],
  ],
  response: [
    ['throttleTimeMs', 'int32', '1+'],
    ['errorCode', 'int16', '0-3'],
    ['errorMessage', 'string?', '1-3'],
    ['nodeId', 'int32', '0-3'],
    ['host', 'string', '0-3'],
    ['port', 'int32', '0-3'],
    [
      'coordinators',
      [
        ['key', 'string'],
        ['nodeId', 'int32'],
        ['host', 'string'],
        ['port', 'int32'],
        ['errorCode', 'int16'],
        ['errorMessage', 'string?'],
      ],
      '4+',
    ],
  ],
});

export const JOIN_GROUP = api({
  key: 11,
  name: 'JoinGroup',
  versions: [0, 9],
  flexible: 6,
  request: [
    ['groupId', 'string'],
    ['sessionTimeoutMs', 'int32'],
    ['rebalanceTimeoutMs', 'int32', '1+', { default: -1 }],
    ['memberId', 'string'],
    ['groupInstanceId', 'string?', '5+'],
    ['protocolType', 'string'],
    [
      'protocols',
      [
        ['name', 'string'],
        ['metadata', 'bytes'],
      ],
    ],
    ['reason', 'string?', '8+'],
  ],
  response: [
    ['throttleTimeMs', 'int32', '2+'],
    ['errorCode', 'int16'],
    ['generationId', 'int32', '0+', { default: -1 }],
    ['protocolType', 'string?', '7+'],
    /** Nullable since version 7; sent as '' before. */
    ['protocolName', 'string?'],
    ['leader', 'string'],
    ['skipAssignment', 'bool', '9+'],
    ['memberId', 'string'],
    [
      'members',
      [
        ['memberId', 'string'],
        ['groupInstanceId', 'string?', '5+'],
        ['metadata', 'bytes'],
      ],
    ],
  ],
});

export const HEARTBEAT = api({
  key: 12,
  name: 'Heartbeat',
  versions: [0, 4],
  flexible: 4,
  request: [
    ['groupId', 'string'],
    ['generationId', 'int32'],
    ['memberId', 'string'],
    ['groupInstanceId', 'string?', '3+'],
  ],
  response: [
    ['throttleTimeMs', 'int32', '1+'],
    ['errorCode', 'int16'],
  ],
});

export const LEAVE_GROUP = api({
  key: 13,
  name: 'LeaveGroup',
  versions: [0, 5],
  flexible: 4,
  request: [
    ['groupId', 'string'],
    ['memberId', 'string', '0-2'],
    [
      'members',
      [
        ['memberId', 'string'],
        ['groupInstanceId', 'string?'],
        ['reason', 'string?', '5+'],
      ],
      '3+',
    ],
  ],
  response: [
    ['throttleTimeMs', 'int32', '1+'],
    ['errorCode', 'int16'],
    [
      'members',
      [
        ['memberId', 'string'],
        ['groupInstanceId', 'string?'],
        ['errorCode', 'int16'],
      ],
      '3+',
    ],
  ],
});

export const SYNC_GROUP = api({
  key: 14,
  name: 'SyncGroup',
  versions: [0, 5],
  flexible: 4,
  request: [
    ['groupId', 'string'],
    ['generationId', 'int32'],
    ['memberId', 'string'],
    ['groupInstanceId', 'string?', '3+'],
    ['protocolType', 'string?', '5+'],
    ['protocolName', 'string?', '5+'],
    [
      'assignments',
      [
        ['memberId', 'string'],
        ['assignment', 'bytes'],
      ],
    ],
  ],
  response: [
    ['throttleTimeMs', 'int32', '1+'],
    ['errorCode', 'int16'],
    ['protocolType', 'string?', '5+'],
    ['protocolName', 'string?', '5+'],
    ['assignment', 'bytes'],
  ],
});

export const DESCRIBE_GROUPS = api({
  key: 15,
  name: 'DescribeGroups',
  versions: [0, 5],
  flexible: 5,
  request: [
    ['groups', '[]string'],
    ['includeAuthorizedOperations', 'bool', '3+'],
  ],
  response: [
    ['throttleTimeMs', 'int32', '1+'],
    [
      'groups',
      [
        ['errorCode', 'int16'],
        ['groupId', 'string'],
        ['groupState', 'string'],
        ['protocolType', 'string'],
        ['protocolData', 'string'],
        [
          'members',
          [
            ['memberId', 'string'],
            ['groupInstanceId', 'string?', '4+'],
            ['clientId', 'string'],
            ['clientHost', 'string'],
            ['memberMetadata', 'bytes'],
            ['memberAssignment', 'bytes'],
          ],
        ],
        ['authorizedOperations', 'int32', '3+', { default: -2147483648 }],
      ],
    ],
  ],
});

export const LIST_GROUPS = api({
  key: 16,
  name: 'ListGroups',
  versions: [0, 4],
  flexible: 3,
  request: [['statesFilter', '[]string', '4+']],
  response: [
    ['throttleTimeMs', 'int32', '1+'],
    ['errorCode', 'int16'],
    [
      'groups',
      [
        ['groupId', 'string'],
        ['protocolType', 'string'],
        ['groupState', 'string', '4+'],
      ],
    ],
  ],
});

export const DELETE_GROUPS = api({
  key: 42,
  name: 'DeleteGroups',
  versions: [0, 2],
  flexible: 2,
  request: [['groupsNames', '[]string']],
  response: [
    ['throttleTimeMs', 'int32'],
    [
      'results',
      [
        ['groupId', 'string'],
        ['errorCode', 'int16'],
      ],
    ],
  ],
});

export const OFFSET_DELETE = api({
  key: 47,
  name: 'OffsetDelete',
  versions: [0, 0],
  flexible: null,
  request: [
    ['groupId', 'string'],
    [
      'topics',
      [
        ['name', 'string'],
        ['partitions', [['partitionIndex', 'int32']]],
      ],
    ],
  ],
  response: [
    ['errorCode', 'int16'],
    ['throttleTimeMs', 'int32'],
    [
      'topics',
      [
        ['name', 'string'],
        [
          'partitions',
          [
            ['partitionIndex', 'int32'],
            ['errorCode', 'int16'],
          ],
        ],
      ],
    ],
  ],
});
