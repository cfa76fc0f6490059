/** One record. */
export interface User {
  /** Its key, compared byte for byte. */
  readonly email: string;
  readonly name: string;
}
