/** Descriptions of log folders, producers and transactions, and WriteTxnMarkers, which aborts a hanging transaction. */
import { api } from '../layout';

export const WRITE_TXN_MARKERS = api({
  key: 27,
  name: 'WriteTxnMarkers',
  versions: [1, 1],
  flexible: 1,
  request: [
    [
      'markers',
      [
        ['producerId', 'int64'],
        ['producerEpoch', 'int16'],
        ['transactionResult', 'bool'],
        [
          'topics',
          [
            ['name', 'string'],
            ['partitionIndexes', '[]int32'],
          ],
        ],
        ['coordinatorEpoch', 'int32'],
      ],
    ],
  ],
  response: [
    [
      'markers',
      [
        ['producerId', 'int64'],
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
    ],
  ],
});

export const DESCRIBE_LOG_DIRS = api({
  key: 35,
  name: 'DescribeLogDirs',
  versions: [1, 4],
  flexible: 2,
  request: [
    [
      'topics',
      [
        ['topic', 'string'],
        ['partitions', '[]int32'],
      ],
      '0+',
      { nullable: true },
    ],
  ],
  response: [
    ['throttleTimeMs', 'int32'],
    ['errorCode', 'int16', '3+'],
    [
      'results',
      [
        ['errorCode', 'int16'],
        ['logDir', 'string'],
        [
          'topics',
          [
            ['name', 'string'],
            [
              'partitions',
              [
                ['partitionIndex', 'int32'],
                ['partitionSize', 'int64'],
                ['offsetLag', 'int64'],
                ['isFutureKey', 'bool'],
              ],
            ],
          ],
        ],
        ['totalBytes', 'int64', '4+', { default: -1 }],
        ['usableBytes', 'int64', '4+', { default: -1 }],
      ],
    ],
  ],
});

export const DESCRIBE_PRODUCERS = api({
  key: 61,
  name: 'DescribeProducers',
  versions: [0, 0],
  flexible: 0,
  request: [
    [
      'topics',
      [
        ['name', 'string'],
        ['partitionIndexes', '[]int32'],
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
            ['errorMessage', 'string?'],
            [
              'activeProducers',
              [
                ['producerId', 'int64'],
                ['producerEpoch', 'int32'],
                ['lastSequence', 'int32', '0+', { default: -1 }],
                ['lastTimestamp', 'int64', '0+', { default: -1 }],
                ['coordinatorEpoch', 'int32'],
                ['currentTxnStartOffset', 'int64', '0+', { default: -1 }],
              ],
            ],
          ],
        ],
      ],
    ],
  ],
});

export const DESCRIBE_TRANSACTIONS = api({
  key: 65,
  name: 'DescribeTransactions',
  versions: [0, 0],
  flexible: 0,
  request: [['transactionalIds', '[]string']],
  response: [
    ['throttleTimeMs', 'int32'],
    [
      'transactionStates',
      [
        ['errorCode', 'int16'],
        ['transactionalId', 'string'],
        ['transactionState', 'string'],
        ['transactionTimeoutMs', 'int32'],
        ['transactionStartTimeMs', 'int64', '0+', { default: -1 }],
        ['producerId', 'int64', '0+', { default: -1 }],
        ['producerEpoch', 'int16', '0+', { default: -1 }],
        [
          'topics',
          [
            ['topic', 'string'],
            ['partitions', '[]int32'],
          ],
        ],
      ],
    ],
  ],
});

export const LIST_TRANSACTIONS = api({
  key: 66,
  name: 'ListTransactions',
  versions: [0, 1],
  flexible: 0,
  request: [
    ['stateFilters', '[]string'],
    ['producerIdFilters', '[]int64'],
    ['durationFilter', 'int64', '1+', { default: -1 }],
  ],
  response: [
    ['throttleTimeMs', 'int32'],
    ['errorCode', 'int16'],
    ['unknownStateFilters', '[]string'],
    [
      'transactionStates',
      [
        ['transactionalId', 'string'],
        ['producerId', 'int64'],
        ['transactionState', 'string'],
      ],
    ],
  ],
});
