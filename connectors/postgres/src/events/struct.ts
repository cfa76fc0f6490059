/** A row, a key, or a block of an event. */
export type Struct = Record<string, unknown>;
