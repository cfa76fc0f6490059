package org.apache.kafka.connect;

import org.apache.kafka.connect.storage.StringConverter;

/** As a converter of Kafka beside jars that are too old for it. */
public class UnlinkedConverter extends StringConverter {
  public UnlinkedConverter() {
    throw new NoSuchFieldError("ALLOW_RS_CONTROL_CHAR");
  }
}
