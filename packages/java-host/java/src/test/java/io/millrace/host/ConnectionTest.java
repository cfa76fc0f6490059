package io.millrace.host;

import static io.millrace.host.HostClient.map;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import org.junit.jupiter.api.Test;

class ConnectionTest {
  private static byte[] frame(Out content) {
    return new Out(16).i32(content.size()).raw(content.array(), 0, content.size()).toByteArray();
  }

  private static void ends(byte[] bytes) throws Exception {
    try (HostClient client = new HostClient()) {
      client.channel().write(ByteBuffer.wrap(bytes));
      client.awaitEnd();
    }
  }

  @Test
  void hostileFramesEndTheConnection() throws Exception {
    ends(new Out(8).i32(-1).i32(0).toByteArray());
    ends(new Out(8).i32(FrameReader.LONGEST + 1).i32(0).toByteArray());
    ends(new Out(8).i32(4).i32(0).toByteArray());
    // An unknown type, an event first, a method that is longer than its frame, arguments that are no list.
    ends(frame(new Out(16).u8(9).i32(1).string("open").u8(0)));
    ends(frame(new Out(16).u8(4).i32(0).string("open").u8(7).i32(0)));
    ends(frame(new Out(16).u8(1).i32(1).i32(100)));
    ends(frame(new Out(16).u8(1).i32(1).string("open").u8(0)));
    ends(frame(new Out(16).u8(1).i32(1).string("open").u8(7).i32(0)));
    ends(frame(new Out(16).u8(1).i32(1).string("open").u8(7).i32(Integer.MAX_VALUE)));
  }

  @Test
  void nestingWithoutEndEndsTheConnection() throws Exception {
    Out deep = new Out(64).u8(1).i32(1).string("open");
    for (int depth = 0; depth < 100_000; depth++) deep.u8(7).i32(1);
    ends(frame(deep));
  }

  @Test
  void answersOfCallsThatNobodyMadeAreIgnored() throws Exception {
    try (HostClient client = HostClient.open(map("kind", "plugins"))) {
      client.channel().write(ByteBuffer.wrap(frame(new Out(16).u8(2).i32(77).u8(0))));
      assertThrows(HostClient.HostError.class, () -> client.call("unknown"));
    }
  }

  @Test
  void anUnknownKindIsAnError() {
    assertThrows(HostClient.HostError.class, () -> HostClient.open(map("kind", "nothing")));
  }

  @Test
  void aFrameThatEndsEarlyIsAnError() {
    byte[] bytes = new Out(8).i32(100).i32(0).toByteArray();
    FrameReader reader = new FrameReader(Channels.newChannel(new ByteArrayInputStream(bytes)));
    assertThrows(EOFException.class, reader::read);
  }

  @Test
  void largeFramesArrive() throws Exception {
    try (HostClient client = HostClient.open(map("kind", "plugins"))) {
      String name = "x".repeat(5_000_000);
      HostClient.HostError error = assertThrows(HostClient.HostError.class, () -> client.call(name));
      assertEquals(64 * 1024, ((String) error.error.get("message")).length());
    }
  }

  @Test
  void errorsKeepTheirCausesWithinBounds() {
    Exception cause = new IllegalStateException("0");
    for (int depth = 1; depth < 30; depth++) cause = new RuntimeException("" + depth, cause);
    Object error = Errors.toMap(cause);
    int depth = 0;
    while (error instanceof java.util.Map<?, ?> map) {
      error = map.get("cause");
      depth++;
    }
    assertEquals(10, depth);
    assertTrue(((String) Errors.toMap(cause).get("trace")).length() <= 32 * 1024);
    assertEquals(null, Errors.toMap(new IllegalStateException()).get("message"));
  }
}
