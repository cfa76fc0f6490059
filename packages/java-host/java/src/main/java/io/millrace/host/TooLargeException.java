package io.millrace.host;

import org.apache.kafka.connect.errors.DataException;

/** It would not fit in a message. Nothing of it is sent, and the session goes on. */
final class TooLargeException extends DataException {
  private static final long serialVersionUID = 1L;

  /** Bytes of a record, as on the other side: the rest of the largest frame is for what goes with it. */
  static final int MOST = 240 * 1024 * 1024;

  /**
   * @param what begins a sentence
   * @param bytes how many it needs, or more
   */
  TooLargeException(String what, long bytes, int most) {
    super(what + " needs at least " + bytes + " bytes on its way to the worker, which takes " + most + " at once.");
  }
}
