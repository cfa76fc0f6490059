/** DescribeConfigs and IncrementalAlterConfigs, for topics. */
import type { WireRequest } from '../wire';
import { request, type Api } from './api';

export const DESCRIBE_CONFIGS: Api = { name: 'DescribeConfigs', key: 32, min: 1, max: 2, flexibleFrom: 4 };
export const INCREMENTAL_ALTER_CONFIGS: Api = {
  name: 'IncrementalAlterConfigs',
  key: 44,
  min: 0,
  max: 0,
  flexibleFrom: 1,
};

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
  return request(
    DESCRIBE_CONFIGS,
    version,
    (w) => {
      w.array([topic], (name) => {
        w.int8(TOPIC)
          .string(name)
          .nullableArray(null, () => undefined);
      }).boolean(false);
    },
    (r) => {
      r.int32();
      return r.array((): ConfigResponse => {
        const errorCode = r.int16();
        const errorMessage = r.nullableString();
        r.int8();
        r.string();
        const entries = r.array((): [string, string | null] => {
          const entry: [string, string | null] = [r.string(), r.nullableString()];
          r.boolean();
          r.int8();
          r.boolean();
          r.array(() => {
            r.string();
            r.nullableString();
            r.int8();
          });
          return entry;
        });
        return { errorCode, errorMessage, configs: Object.fromEntries(entries) };
      });
    },
  );
}

export function alterTopicConfigRequest(
  version: number,
  topic: string,
  set: Readonly<Record<string, string>>,
  remove: readonly string[],
): WireRequest<{ errorCode: number; errorMessage: string | null }[]> {
  const changes = [
    ...Object.entries(set).map(([name, value]) => ({ name, operation: SET, value })),
    ...remove.map((name) => ({ name, operation: DELETE, value: null })),
  ];
  return request(
    INCREMENTAL_ALTER_CONFIGS,
    version,
    (w) => {
      w.array([topic], (name) => {
        w.int8(TOPIC)
          .string(name)
          .array(changes, (change) => {
            w.string(change.name).int8(change.operation).nullableString(change.value);
          });
      }).boolean(false);
    },
    (r) => {
      r.int32();
      return r.array(() => {
        const response = { errorCode: r.int16(), errorMessage: r.nullableString() };
        r.int8();
        r.string();
        return response;
      });
    },
  );
}
