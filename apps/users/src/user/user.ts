/** A stored user. */
export interface User {
  /** The key, compared byte for byte. */
  readonly email: string;
  readonly name: string;
}
