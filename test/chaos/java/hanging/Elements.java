package hanging;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;
import org.apache.kafka.connect.storage.StringConverter;
import org.apache.kafka.connect.transforms.Transformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parts of a chain that change nothing, log that they were called, and hang while the file {@code hang.file} exists. */
public final class Elements {
  private static final Logger LOG = LoggerFactory.getLogger(Elements.class);
  private static final ConfigDef CONFIG = new ConfigDef()
      .define("hang.file", ConfigDef.Type.STRING, "", ConfigDef.Importance.LOW, "It hangs while the file exists.");

  private Elements() {}

  private static void call(String what, Object file) {
    LOG.warn("{} was called", what);
    // Neither an interrupt nor anything else ends it.
    while (file != null && !file.equals("") && Files.exists(Path.of(file.toString()))) LockSupport.parkNanos(50_000_000L);
  }

  public static final class Step<R extends ConnectRecord<R>> implements Transformation<R> {
    private Object file;

    @Override
    public void configure(Map<String, ?> settings) {
      file = settings.get("hang.file");
    }

    @Override
    public R apply(R record) {
      call("apply", file);
      return record;
    }

    @Override
    public ConfigDef config() {
      return CONFIG;
    }

    @Override
    public void close() {}
  }

  public static final class Test<R extends ConnectRecord<R>>
      implements org.apache.kafka.connect.transforms.predicates.Predicate<R> {
    private Object file;

    @Override
    public void configure(Map<String, ?> settings) {
      file = settings.get("hang.file");
    }

    @Override
    public boolean test(R record) {
      call("test", file);
      return true;
    }

    @Override
    public ConfigDef config() {
      return CONFIG;
    }

    @Override
    public void close() {}
  }

  public static final class Text extends StringConverter {
    private Object file;

    @Override
    public void configure(Map<String, ?> settings, boolean isKey) {
      super.configure(settings, isKey);
      file = settings.get("hang.file");
    }

    @Override
    public byte[] fromConnectData(String topic, Schema schema, Object value) {
      call("fromConnectData", file);
      return super.fromConnectData(topic, schema, value);
    }
  }

  public static final class Headers extends SimpleHeaderConverter {
    private Object file;

    @Override
    public void configure(Map<String, ?> settings) {
      super.configure(settings);
      file = settings.get("hang.file");
    }

    @Override
    public byte[] fromConnectHeader(String topic, String name, Schema schema, Object value) {
      call("fromConnectHeader", file);
      return super.fromConnectHeader(topic, name, schema, value);
    }
  }
}
