/** Java objects that a chunk key may contain (cdc-postgres §6.4). */
export type JavaValue =
  | null
  | { readonly type: 'Integer' | 'Short' | 'Long'; readonly value: bigint }
  | { readonly type: 'Double' | 'Float'; readonly value: number }
  | { readonly type: 'String' | 'UUID'; readonly value: string }
  | { readonly type: 'Boolean'; readonly value: boolean }
  | { readonly type: 'BigDecimal'; readonly unscaled: bigint; readonly scale: number }
  /** `java.time.LocalDate` */
  | { readonly type: 'LocalDate'; readonly year: number; readonly month: number; readonly day: number }
  /** `java.sql.Date`: midnight in the time zone of the JVM that wrote it. */
  | { readonly type: 'Date'; readonly millis: bigint }
  | { readonly type: 'byte[]'; readonly value: Buffer }
  /** `org.postgresql.util.PGobject`: a value of a type for which Java's driver has no class. */
  | { readonly type: 'PGobject'; readonly name: string; readonly value: string };
