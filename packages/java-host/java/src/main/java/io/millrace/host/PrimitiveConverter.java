package io.millrace.host;

import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.ConverterConfig;
import org.apache.kafka.connect.storage.HeaderConverter;

/** Stands in for the converters of bytes, numbers and booleans that only connect-runtime has. */
final class PrimitiveConverter implements Converter, HeaderConverter {
  private final Schema schema;
  private final Class<?> type;
  private final Serde<Object> serde;

  @SuppressWarnings("unchecked")
  private PrimitiveConverter(Schema schema, Class<?> type, Serde<?> serde) {
    this.schema = schema;
    this.type = type;
    this.serde = (Serde<Object>) serde;
  }

  static PrimitiveConverter bytes() {
    return new PrimitiveConverter(Schema.OPTIONAL_BYTES_SCHEMA, byte[].class, Serdes.ByteArray());
  }

  static PrimitiveConverter booleans() {
    return new PrimitiveConverter(Schema.OPTIONAL_BOOLEAN_SCHEMA, Boolean.class, Serdes.Boolean());
  }

  static PrimitiveConverter doubles() {
    return new PrimitiveConverter(Schema.OPTIONAL_FLOAT64_SCHEMA, Double.class, Serdes.Double());
  }

  static PrimitiveConverter floats() {
    return new PrimitiveConverter(Schema.OPTIONAL_FLOAT32_SCHEMA, Float.class, Serdes.Float());
  }

  static PrimitiveConverter integers() {
    return new PrimitiveConverter(Schema.OPTIONAL_INT32_SCHEMA, Integer.class, Serdes.Integer());
  }

  static PrimitiveConverter longs() {
    return new PrimitiveConverter(Schema.OPTIONAL_INT64_SCHEMA, Long.class, Serdes.Long());
  }

  static PrimitiveConverter shorts() {
    return new PrimitiveConverter(Schema.OPTIONAL_INT16_SCHEMA, Short.class, Serdes.Short());
  }

  @Override
  public String version() {
    return Converter.super.version();
  }

  @Override
  public ConfigDef config() {
    return ConverterConfig.newConfigDef();
  }

  @Override
  public void configure(Map<String, ?> settings) {}

  @Override
  public void configure(Map<String, ?> settings, boolean isKey) {}

  @Override
  public byte[] fromConnectData(String topic, Schema given, Object value) {
    // Connect checks the schema of bytes and of booleans, and the class of all.
    if (given != null && (type == byte[].class || type == Boolean.class) && given.type() != schema.type())
      throw new DataException("Schema type " + given.type() + " is not " + schema.type());
    Object plain = value instanceof ByteBuffer buffer && type == byte[].class ? copy(buffer) : value;
    if (plain == null) return null;
    if (!type.isInstance(plain))
      throw new DataException("Failed to serialize to " + type.getSimpleName() + " (was " + plain.getClass() + ")");
    return serde.serializer().serialize(topic, plain);
  }

  @Override
  public SchemaAndValue toConnectData(String topic, byte[] value) {
    try {
      return new SchemaAndValue(schema, serde.deserializer().deserialize(topic, value));
    } catch (SerializationException failed) {
      throw new DataException("Failed to deserialize " + type.getSimpleName() + ": ", failed);
    }
  }

  @Override
  public byte[] fromConnectHeader(String topic, String key, Schema given, Object value) {
    return fromConnectData(topic, given, value);
  }

  @Override
  public SchemaAndValue toConnectHeader(String topic, String key, byte[] value) {
    return toConnectData(topic, value);
  }

  @Override
  public void close() {}

  private static byte[] copy(ByteBuffer buffer) {
    ByteBuffer from = buffer.duplicate();
    from.rewind();
    byte[] bytes = new byte[from.remaining()];
    from.get(bytes);
    return bytes;
  }
}
