/** Idempotent and transactional producers. */
import { api } from '../layout';

export const INIT_PRODUCER_ID = api({
  key: 22,
  name: 'InitProducerId',
  versions: [0, 5],
  flexible: 2,
  request: [
    ['transactionalId', 'string?'],
    ['transactionTimeoutMs', 'int32'],
    ['producerId', 'int64', '3+', { default: -1 }],
    ['producerEpoch', 'int16', '3+', { default: -1 }],
  ],
  response: [
    ['throttleTimeMs', 'int32'],
    ['errorCode', 'int16'],
    ['producerId', 'int64', '0+', { default: -1 }],
    ['producerEpoch', 'int16', '0+', { default: -1 }],
  ],
});

const ADDED_TOPICS = [
  ['name', 'string'],
  ['partitions', '[]int32'],
] as const;
const ADDED_RESULTS = [
  ['name', 'string'],
  [
    'results',
    [
      ['partitionIndex', 'int32'],
      ['errorCode', 'int16'],
    ],
  ],
] as const;

/**
 * From version 4 on, for several transactions at once; in Apache Kafka its brokers' own way, which @platformatic/kafka
 * takes too.
 */
export const ADD_PARTITIONS_TO_TXN = api({
  key: 24,
  name: 'AddPartitionsToTxn',
  versions: [0, 5],
  flexible: 3,
  request: [
    [
      'transactions',
      [
        ['transactionalId', 'string'],
        ['producerId', 'int64'],
        ['producerEpoch', 'int16'],
        ['verifyOnly', 'bool'],
        ['topics', ADDED_TOPICS],
      ],
      '4+',
    ],
    ['transactionalId', 'string', '0-3'],
    ['producerId', 'int64', '0-3'],
    ['producerEpoch', 'int16', '0-3'],
    ['topics', ADDED_TOPICS, '0-3'],
  ],
  response: [
    ['throttleTimeMs', 'int32'],
    ['errorCode', 'int16', '4+'],
    [
      'resultsByTransaction',
      [
        ['transactionalId', 'string'],
        ['topicResults', ADDED_RESULTS],
      ],
      '4+',
    ],
    ['results', ADDED_RESULTS, '0-3'],
  ],
});

export const ADD_OFFSETS_TO_TXN = api({
  key: 25,
  name: 'AddOffsetsToTxn',
  versions: [0, 4],
  flexible: 3,
  request: [
    ['transactionalId', 'string'],
    ['producerId', 'int64'],
    ['producerEpoch', 'int16'],
    ['groupId', 'string'],
  ],
  response: [
    ['throttleTimeMs', 'int32'],
    ['errorCode', 'int16'],
  ],
});

export const END_TXN = api({
  key: 26,
  name: 'EndTxn',
  versions: [0, 4],
  flexible: 3,
  request: [
    ['transactionalId', 'string'],
    ['producerId', 'int64'],
    ['producerEpoch', 'int16'],
    ['committed', 'bool'],
  ],
  response: [
    ['throttleTimeMs', 'int32'],
    ['errorCode', 'int16'],
  ],
});

export const TXN_OFFSET_COMMIT = api({
  key: 28,
  name: 'TxnOffsetCommit',
  versions: [0, 4],
  flexible: 3,
  request: [
    ['transactionalId', 'string'],
    ['groupId', 'string'],
    ['producerId', 'int64'],
    ['producerEpoch', 'int16'],
    ['generationId', 'int32', '3+', { default: -1 }],
    ['memberId', 'string', '3+'],
    ['groupInstanceId', 'string?', '3+'],
    [
      'topics',
      [
        ['name', 'string'],
        [
          'partitions',
          [
            ['partitionIndex', 'int32'],
            ['committedOffset', 'int64'],
            ['committedLeaderEpoch', 'int32', '2+', { default: -1 }],
            ['committedMetadata', 'string?'],
          ],
        ],
      ],
    ],
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
            ['errorCode', 'int16'],
          ],
        ],
      ],
    ],
  ],
});
