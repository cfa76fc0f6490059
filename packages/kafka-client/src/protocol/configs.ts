/** DescribeConfigs and IncrementalAlterConfigs, for topics. */
import * as kafka from '@millrace/kafka-protocol';
import type { WireRequest } from '../wire';
import { request } from './api';

export const DESCRIBE_CONFIGS = kafka.withVersions(kafka.DESCRIBE_CONFIGS, 1, 2);
export const INCREMENTAL_ALTER_CONFIGS = kafka.withVersions(kafka.INCREMENTAL_ALTER_CONFIGS, 0, 0);

const TOPIC = 2;
const SET = 0;
const DELETE = 1;

export interface ConfigResponse {
  readonly errorCode: number;
  readonly errorMessage: string | null;
  /** Sensitive values are null. */
  readonly configs: Readonly<Record<string, string | null>>;
}

export function describeTopicConfigsRequest(version: number, topic: string): WireRequest<ConfigResponse[]> {
  const resources = [{ resourceType: TOPIC, resourceName: topic }];
  return request(DESCRIBE_CONFIGS, version, { resources }, ({ results }) =>
    results.map(({ errorCode, errorMessage, configs }) => ({
      errorCode,
      errorMessage,
      configs: Object.fromEntries(configs.map(({ name, value }) => [name, value])),
    })),
  );
}

export function alterTopicConfigRequest(
  version: number,
  topic: string,
  set: Readonly<Record<string, string>>,
  remove: readonly string[],
): WireRequest<{ errorCode: number; errorMessage: string | null }[]> {
  const configs = [
    ...Object.entries(set).map(([name, value]) => ({ name, configOperation: SET, value })),
    ...remove.map((name) => ({ name, configOperation: DELETE, value: null })),
  ];
  const resources = [{ resourceType: TOPIC, resourceName: topic, configs }];
  return request(INCREMENTAL_ALTER_CONFIGS, version, { resources }, ({ responses }) =>
    responses.map(({ errorCode, errorMessage }) => ({ errorCode, errorMessage })),
  );
}
