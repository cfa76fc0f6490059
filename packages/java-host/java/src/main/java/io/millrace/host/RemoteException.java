package io.millrace.host;

import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;

/** Node.js answered a call with an error, or the connection ended before it did. */
public final class RemoteException extends ConnectException {
  private static final long serialVersionUID = 1L;

  public RemoteException(String message) {
    super(message);
  }

  static RemoteException of(Object error) {
    Object message = error instanceof Map<?, ?> map ? map.get("message") : null;
    return new RemoteException(message instanceof String text ? text : "The worker answered with an error");
  }
}
