/** A schema registry with Confluent's REST interface. */
export {};
