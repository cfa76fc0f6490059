/** What the settings of the Avro converter mean. */
export interface AvroSettings {
  /** `enhanced.avro.schema.support` */
  readonly enhanced: boolean;
  /** `generalized.sum.type.support` */
  readonly generalized: boolean;
  /** `connect.meta.data` */
  readonly metaData: boolean;
  /** `scrub.invalid.names` */
  readonly scrub: boolean;
  /** `discard.type.doc.default` */
  readonly discardTypeDoc: boolean;
  /** `allow.optional.map.keys` */
  readonly optionalMapKeys: boolean;
  /** `flatten.singleton.unions` */
  readonly flattenSingletons: boolean;
  /** `ignore.default.for.nullables` */
  readonly ignoreDefaults: boolean;
}
