package io.millrace.host;

import java.io.IOException;

/** The other side sent what the protocol does not have. The connection ends. */
public final class ProtocolException extends IOException {
  private static final long serialVersionUID = 1L;

  public ProtocolException(String message) {
    super(message);
  }
}
