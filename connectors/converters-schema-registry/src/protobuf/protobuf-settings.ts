/** Settings of the Protobuf converter. */
import { ConfigError, type ConnectorConfig } from '@millrace/sdk';
import { PROTOBUF_CONFIG } from './protobuf-config';

export interface ProtobufSettings {
  /** `enhanced.protobuf.schema.support`: packages are part of names. */
  readonly enhanced: boolean;
  /** `scrub.invalid.names` */
  readonly scrubNames: boolean;
  /** `int.for.enums` */
  readonly intForEnums: boolean;
  /** `optional.for.nullables` */
  readonly optionalForNullables: boolean;
  /** `optional.for.proto2` */
  readonly optionalForProto2: boolean;
  /** `generate.index.for.unions` */
  readonly indexForUnions: boolean;
  /** `generate.struct.for.nulls` */
  readonly structForNulls: boolean;
  /** `wrapper.for.nullables` */
  readonly wrapperForNullables: boolean;
  /** `wrapper.for.raw.primitives` */
  readonly wrapperForRaw: boolean;
  /** `flatten.unions` */
  readonly flattenUnions: boolean;
  /** `generalized.sum.type.support` */
  readonly generalizedSums: boolean;
}

/** Throws ConfigError. */
export function readProtobufSettings(config: ConnectorConfig): ProtobufSettings {
  const flag = (name: string): boolean => {
    const text = config[name]?.trim().toLowerCase();
    if (text === undefined) return PROTOBUF_CONFIG.find((key) => key.name === name)?.default === true;
    if (text !== 'true' && text !== 'false')
      throw new ConfigError(`${name} must be true or false.`, { code: 'CONVERTER_CONFIG' });
    return text === 'true';
  };
  return {
    enhanced: flag('enhanced.protobuf.schema.support'),
    scrubNames: flag('scrub.invalid.names'),
    intForEnums: flag('int.for.enums'),
    optionalForNullables: flag('optional.for.nullables'),
    optionalForProto2: flag('optional.for.proto2'),
    indexForUnions: flag('generate.index.for.unions'),
    structForNulls: flag('generate.struct.for.nulls'),
    wrapperForNullables: flag('wrapper.for.nullables'),
    wrapperForRaw: flag('wrapper.for.raw.primitives'),
    flattenUnions: flag('flatten.unions'),
    generalizedSums: flag('generalized.sum.type.support'),
  };
}
