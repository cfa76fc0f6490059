package io.millrace.host;

/** A call that the session does not have. */
public final class UnknownMethodException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnknownMethodException(String method) {
    super("Unknown method " + method);
  }
}
