/** API versions, authentication and cluster metadata. */
import { api } from '../layout';

export const SASL_HANDSHAKE = api({
  key: 17,
  name: 'SaslHandshake',
  versions: [0, 1],
  flexible: null,
  request: [['mechanism', 'string']],
  response: [
    ['errorCode', 'int16'],
    ['mechanisms', '[]string'],
  ],
});

export const API_VERSIONS = api({
  key: 18,
  name: 'ApiVersions',
  versions: [0, 3],
  flexible: 3,
  request: [
    ['clientSoftwareName', 'string', '3+'],
    ['clientSoftwareVersion', 'string', '3+'],
  ],
  response: [
    ['errorCode', 'int16'],
    [
      'apiKeys',
      [
        ['apiKey', 'int16'],
        ['minVersion', 'int16'],
        ['maxVersion', 'int16'],
      ],
    ],
    ['throttleTimeMs', 'int32', '1+'],
    [
      'supportedFeatures',
      [
        ['name', 'string'],
        ['minVersion', 'int16'],
        ['maxVersion', 'int16'],
      ],
      '3+',
      { tag: 0 },
    ],
    ['finalizedFeaturesEpoch', 'int64', '3+', { tag: 1, default: -1 }],
    [
      'finalizedFeatures',
      [
        ['name', 'string'],
        ['maxVersionLevel', 'int16'],
        ['minVersionLevel', 'int16'],
      ],
      '3+',
      { tag: 2 },
    ],
    ['zkMigrationReady', 'bool', '3+', { tag: 3 }],
  ],
});

export const SASL_AUTHENTICATE = api({
  key: 36,
  name: 'SaslAuthenticate',
  versions: [0, 2],
  flexible: 2,
  request: [['authBytes', 'bytes']],
  response: [
    ['errorCode', 'int16'],
    ['errorMessage', 'string?'],
    ['authBytes', 'bytes'],
    ['sessionLifetimeMs', 'int64', '1+'],
  ],
});

export const METADATA = api({
  key: 3,
  name: 'Metadata',
  versions: [0, 12],
  flexible: 9,
  request: [
    [
      'topics',
      [
        ['topicId', 'uuid', '10+'],
        ['name', 'string?'],
      ],
      '0+',
      { nullable: true },
    ],
    ['allowAutoTopicCreation', 'bool', '4+', { default: true }],
    ['includeClusterAuthorizedOperations', 'bool', '8-10'],
    ['includeTopicAuthorizedOperations', 'bool', '8+'],
  ],
  response: [
    ['throttleTimeMs', 'int32', '3+'],
    [
      'brokers',
      [
        ['nodeId', 'int32'],
        ['host', 'string'],
        ['port', 'int32'],
        ['rack', 'string?', '1+'],
      ],
    ],
    ['clusterId', 'string?', '2+'],
    ['controllerId', 'int32', '1+', { default: -1 }],
    [
      'topics',
      [
        ['errorCode', 'int16'],
        ['name', 'string?', '0+', { default: '' }],
        ['topicId', 'uuid', '10+'],
        ['isInternal', 'bool', '1+'],
        [
          'partitions',
          [
            ['errorCode', 'int16'],
            ['partitionIndex', 'int32'],
            ['leaderId', 'int32'],
            ['leaderEpoch', 'int32', '7+', { default: -1 }],
            ['replicaNodes', '[]int32'],
            ['isrNodes', '[]int32'],
            ['offlineReplicas', '[]int32', '5+'],
          ],
        ],
        ['topicAuthorizedOperations', 'int32', '8+', { default: -2147483648 }],
      ],
    ],
    ['clusterAuthorizedOperations', 'int32', '8-10', { default: -2147483648 }],
  ],
});

export const DESCRIBE_CLUSTER = api({
  key: 60,
  name: 'DescribeCluster',
  versions: [0, 1],
  flexible: 0,
  request: [
    ['includeClusterAuthorizedOperations', 'bool'],
    ['endpointType', 'int8', '1+', { default: 1 }],
  ],
  response: [
    ['throttleTimeMs', 'int32'],
    ['errorCode', 'int16'],
    ['errorMessage', 'string?'],
    ['endpointType', 'int8', '1+', { default: 1 }],
    ['clusterId', 'string'],
    ['controllerId', 'int32', '0+', { default: -1 }],
    [
      'brokers',
      [
        ['brokerId', 'int32'],
        ['host', 'string'],
        ['port', 'int32'],
        ['rack', 'string?'],
      ],
    ],
    ['clusterAuthorizedOperations', 'int32', '0+', { default: -2147483648 }],
  ],
});
