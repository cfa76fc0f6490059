/** What calls to the Java host and back carry. See PROTOCOL.md. */

/** A number that is an integer is Java's `Long`, any other a `Double`. */
export type HostValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Date
  | HostDecimal
  | readonly HostValue[]
  | HostMap
  | ReadonlyMap<HostValue, HostValue>;

export interface HostDecimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

/** In the order of its members. Its prototype is null when it was read. */
export interface HostMap {
  readonly [key: string]: HostValue;
}
