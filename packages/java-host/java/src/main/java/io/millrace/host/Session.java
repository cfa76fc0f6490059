package io.millrace.host;

import java.util.List;
import java.util.Map;

/** What one connection is for. Made by the constructor with its Connection. */
public interface Session {
  /** In the lane `main`. Its result is the answer to `open`. An exception ends the session. */
  Map<String, Object> open(Map<String, Object> session) throws Exception;

  /** In the lane of the method. Unknown methods: `throw new UnknownMethodException(method)`. */
  Object call(String method, List<Object> arguments) throws Exception;

  /** In the lane of the method. Unknown events are ignored. */
  default void event(String method, List<Object> arguments) throws Exception {}

  /**
   * Which thread of the session it runs in. Calls of one lane run one after the other, in the order in which they came.
   * Null: in the thread that reads the connection, which must not wait for anything.
   */
  default String lane(String method) {
    return Lanes.MAIN;
  }

  /**
   * Bytes of an answer. One that is longer is an error instead: what a plug-in answers about itself is read whole by the
   * worker, shown and stored.
   */
  default int longestAnswer() {
    return FrameReader.LONGEST;
  }

  /** Once, in a thread of its own, after the connection has ended and the lanes' threads were interrupted. */
  default void close() throws Exception {}
}
