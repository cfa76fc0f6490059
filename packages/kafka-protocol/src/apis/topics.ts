/** Topics, their partitions and their configs. */
import { api } from '../layout';

export const CREATE_TOPICS = api({
  key: 19,
  name: 'CreateTopics',
  versions: [2, 7],
  flexible: 5,
  request: [
    [
      'topics',
      [
        ['name', 'string'],
        ['numPartitions', 'int32'],
        ['replicationFactor', 'int16'],
        [
          'assignments',
          [
            ['partitionIndex', 'int32'],
            ['brokerIds', '[]int32'],
          ],
        ],
        [
          'configs',
          [
            ['name', 'string'],
            ['value', 'string?'],
          ],
        ],
      ],
    ],
    ['timeoutMs', 'int32'],
    ['validateOnly', 'bool', '1+'],
  ],
  response: [
    ['throttleTimeMs', 'int32', '2+'],
    [
      'topics',
      [
        ['name', 'string'],
        ['topicId', 'uuid', '7+'],
        ['errorCode', 'int16'],
        ['errorMessage', 'string?', '1+'],
        ['numPartitions', 'int32', '5+', { default: -1 }],
        ['replicationFactor', 'int16', '5+', { default: -1 }],
        [
          'configs',
          [
            ['name', 'string'],
            ['value', 'string?'],
            ['readOnly', 'bool'],
            ['configSource', 'int8', '5+', { default: -1 }],
            ['isSensitive', 'bool'],
          ],
          '5+',
          { nullable: true },
        ],
      ],
    ],
  ],
});

export const DELETE_TOPICS = api({
  key: 20,
  name: 'DeleteTopics',
  versions: [1, 6],
  flexible: 4,
  request: [
    /** By name, or by id if the name is null. */
    [
      'topics',
      [
        ['name', 'string?'],
        ['topicId', 'uuid'],
      ],
      '6+',
    ],
    ['topicNames', '[]string', '0-5'],
    ['timeoutMs', 'int32'],
  ],
  response: [
    ['throttleTimeMs', 'int32', '1+'],
    [
      'responses',
      [
        /** Nullable since version 6. */
        ['name', 'string?'],
        ['topicId', 'uuid', '6+'],
        ['errorCode', 'int16'],
        ['errorMessage', 'string?', '5+'],
      ],
    ],
  ],
});

export const CREATE_PARTITIONS = api({
  key: 37,
  name: 'CreatePartitions',
  versions: [0, 3],
  flexible: 2,
  request: [
    [
      'topics',
      [
        ['name', 'string'],
        ['count', 'int32'],
        ['assignments', [['brokerIds', '[]int32']], '0+', { nullable: true }],
      ],
    ],
    ['timeoutMs', 'int32'],
    ['validateOnly', 'bool'],
  ],
  response: [
    ['throttleTimeMs', 'int32'],
    [
      'results',
      [
        ['name', 'string'],
        ['errorCode', 'int16'],
        ['errorMessage', 'string?'],
      ],
    ],
  ],
});

export const DESCRIBE_CONFIGS = api({
  key: 32,
  name: 'DescribeConfigs',
  versions: [1, 4],
  flexible: 4,
  request: [
    [
      'resources',
      [
        ['resourceType', 'int8'],
        ['resourceName', 'string'],
        ['configurationKeys', '[]string', '0+', { nullable: true }],
      ],
    ],
    ['includeSynonyms', 'bool', '1+'],
    ['includeDocumentation', 'bool', '3+'],
  ],
  response: [
    ['throttleTimeMs', 'int32'],
    [
      'results',
      [
        ['errorCode', 'int16'],
        ['errorMessage', 'string?'],
        ['resourceType', 'int8'],
        ['resourceName', 'string'],
        [
          'configs',
          [
            ['name', 'string'],
            ['value', 'string?'],
            ['readOnly', 'bool'],
            ['configSource', 'int8', '1+', { default: -1 }],
            ['isSensitive', 'bool'],
            [
              'synonyms',
              [
                ['name', 'string'],
                ['value', 'string?'],
                ['source', 'int8'],
              ],
              '1+',
            ],
            ['configType', 'int8', '3+'],
            ['documentation', 'string?', '3+'],
          ],
        ],
      ],
    ],
  ],
});

export const ALTER_CONFIGS = api({
  key: 33,
  name: 'AlterConfigs',
  versions: [0, 2],
  flexible: 2,
  request: [
    [
      'resources',
      [
        ['resourceType', 'int8'],
        ['resourceName', 'string'],
        [
          'configs',
          [
            ['name', 'string'],
            ['value', 'string?'],
          ],
        ],
      ],
    ],
    ['validateOnly', 'bool'],
  ],
  response: [
    ['throttleTimeMs', 'int32'],
    [
      'responses',
      [
        ['errorCode', 'int16'],
        ['errorMessage', 'string?'],
        ['resourceType', 'int8'],
        ['resourceName', 'string'],
      ],
    ],
  ],
});

export const INCREMENTAL_ALTER_CONFIGS = api({
  key: 44,
  name: 'IncrementalAlterConfigs',
  versions: [0, 1],
  flexible: 1,
  request: [
    [
      'resources',
      [
        ['resourceType', 'int8'],
        ['resourceName', 'string'],
        [
          'configs',
          [
            ['name', 'string'],
            ['configOperation', 'int8'],
            ['value', 'string?'],
          ],
        ],
      ],
    ],
    ['validateOnly', 'bool'],
  ],
  response: [
    ['throttleTimeMs', 'int32'],
    [
      'responses',
      [
        ['errorCode', 'int16'],
        ['errorMessage', 'string?'],
        ['resourceType', 'int8'],
        ['resourceName', 'string'],
      ],
    ],
  ],
});
