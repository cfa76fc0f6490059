/** Produce, Fetch, ListOffsets, OffsetForLeaderEpoch and DeleteRecords. */
import { api } from '../layout';

export const PRODUCE = api({
  key: 0,
  name: 'Produce',
  versions: [3, 9],
  flexible: 9,
  request: [
    ['transactionalId', 'string?'],
    ['acks', 'int16'],
    ['timeoutMs', 'int32'],
    [
      'topicData',
      [
        ['name', 'string'],
        [
          'partitionData',
          [
            ['index', 'int32'],
            ['records', 'records'],
          ],
        ],
      ],
    ],
  ],
  response: [
    [
      'responses',
      [
        ['name', 'string'],
        [
          'partitionResponses',
          [
            ['index', 'int32'],
            ['errorCode', 'int16'],
            ['baseOffset', 'int64', '0+', { default: -1 }],
            ['logAppendTimeMs', 'int64', '2+', { default: -1 }],
            ['logStartOffset', 'int64', '5+', { default: -1 }],
            [
              'recordErrors',
              [
                ['batchIndex', 'int32'],
                ['batchIndexErrorMessage', 'string?'],
              ],
              '8+',
            ],
            ['errorMessage', 'string?', '8+'],
          ],
        ],
      ],
    ],
    ['throttleTimeMs', 'int32', '1+'],
  ],
});

export const FETCH = api({
  key: 1,
  name: 'Fetch',
  versions: [4, 13],
  flexible: 12,
  request: [
    ['replicaId', 'int32', '0+', { default: -1 }],
    ['maxWaitMs', 'int32'],
    ['minBytes', 'int32'],
    ['maxBytes', 'int32', '3+', { default: 0x7fffffff }],
    ['isolationLevel', 'int8', '4+'],
    ['sessionId', 'int32', '7+'],
    ['sessionEpoch', 'int32', '7+', { default: -1 }],
    [
      'topics',
      [
        ['topic', 'string', '4-12'],
        ['topicId', 'uuid', '13+'],
        [
          'partitions',
          [
            ['partition', 'int32'],
            ['currentLeaderEpoch', 'int32', '9+', { default: -1 }],
            ['fetchOffset', 'int64'],
            ['lastFetchedEpoch', 'int32', '12+', { default: -1 }],
            ['logStartOffset', 'int64', '5+', { default: -1 }],
            ['partitionMaxBytes', 'int32'],
          ],
        ],
      ],
    ],
    [
      'forgottenTopicsData',
      [
        ['topic', 'string', '4-12'],
        ['topicId', 'uuid', '13+'],
        ['partitions', '[]int32'],
      ],
      '7+',
    ],
    ['rackId', 'string', '11+'],
  ],
  response: [
    ['throttleTimeMs', 'int32', '1+'],
    ['errorCode', 'int16', '7+'],
    ['sessionId', 'int32', '7+'],
    [
      'responses',
      [
        ['topic', 'string', '4-12'],
        ['topicId', 'uuid', '13+'],
        [
          'partitions',
          [
            ['partitionIndex', 'int32'],
            ['errorCode', 'int16'],
            ['highWatermark', 'int64', '0+', { default: -1 }],
            ['lastStableOffset', 'int64', '4+', { default: -1 }],
            ['logStartOffset', 'int64', '5+', { default: -1 }],
            [
              'abortedTransactions',
              [
                ['producerId', 'int64'],
                ['firstOffset', 'int64'],
              ],
              '4+',
              { nullable: true },
            ],
            ['preferredReadReplica', 'int32', '11+', { default: -1 }],
            ['records', 'records'],
          ],
        ],
      ],
    ],
  ],
});

export const LIST_OFFSETS = api({
  key: 2,
  name: 'ListOffsets',
  versions: [1, 10],
  flexible: 6,
  request: [
    ['replicaId', 'int32', '0+', { default: -1 }],
    ['isolationLevel', 'int8', '2+'],
    [
      'topics',
      [
        ['name', 'string'],
        [
          'partitions',
          [
            ['partitionIndex', 'int32'],
            ['currentLeaderEpoch', 'int32', '4+', { default: -1 }],
            ['timestamp', 'int64'],
          ],
        ],
      ],
    ],
    ['timeoutMs', 'int32', '10+'],
  ],
  response: [
    ['throttleTimeMs', 'int32', '2+'],
    [
      'topics',
      [
        ['name', 'string'],
        [
          'partitions',
          [
            ['partitionIndex', 'int32'],
            ['errorCode', 'int16'],
            ['timestamp', 'int64', '1+', { default: -1 }],
            ['offset', 'int64', '1+', { default: -1 }],
            ['leaderEpoch', 'int32', '4+', { default: -1 }],
          ],
        ],
      ],
    ],
  ],
});

export const OFFSET_FOR_LEADER_EPOCH = api({
  key: 23,
  name: 'OffsetForLeaderEpoch',
  versions: [2, 4],
  flexible: 4,
  request: [
    ['replicaId', 'int32', '3+', { default: -2 }],
    [
      'topics',
      [
        ['topic', 'string'],
        [
          'partitions',
          [
            ['partition', 'int32'],
            ['currentLeaderEpoch', 'int32', '2+', { default: -1 }],
            ['leaderEpoch', 'int32'],
          ],
        ],
      ],
    ],
  ],
  response: [
    ['throttleTimeMs', 'int32', '2+'],
    [
      'topics',
      [
        ['topic', 'string'],
        [
          'partitions',
          [
            ['errorCode', 'int16'],
            ['partition', 'int32'],
            ['leaderEpoch', 'int32', '1+', { default: -1 }],
            ['endOffset', 'int64', '0+', { default: -1 }],
          ],
        ],
      ],
    ],
  ],
});

export const DELETE_RECORDS = api({
  key: 21,
  name: 'DeleteRecords',
  versions: [0, 2],
  flexible: 2,
  request: [
    [
      'topics',
      [
        ['name', 'string'],
        [
          'partitions',
          [
            ['partitionIndex', 'int32'],
            ['offset', 'int64'],
          ],
        ],
      ],
    ],
    ['timeoutMs', 'int32'],
  ],
  response: [
    ['throttleTimeMs', 'int32'],
    [
      'topics',
      [
        ['name', 'string'],
        [
          'partitions',
          [
            ['partitionIndex', 'int32'],
            ['lowWatermark', 'int64', '0+', { default: -1 }],
            ['errorCode', 'int16'],
          ],
        ],
      ],
    ],
  ],
});
