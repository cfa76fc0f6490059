/** The sentence about a class that no plugin has. Pure. */

/** Debezium's converters of bytes, under the names that they had. */
const BYTES = /^io\.debezium\.converters\.(?:BinaryData|ByteArray|ByteBuffer)Converter$/;

/** Java's words, and for known classes what takes their place. */
export function missingClass(name: string): string {
  const found = `Class ${name} could not be found.`;
  return BYTES.test(name)
    ? `${found} Use org.apache.kafka.connect.converters.ByteArrayConverter, which writes the same bytes. It has no delegate: it fails for records that are not bytes, such as heartbeats and transaction metadata.`
    : found;
}
