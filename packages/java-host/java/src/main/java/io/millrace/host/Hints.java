package io.millrace.host;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.utils.AppInfoParser;

/** What to do about classes that cannot be loaded. Pure. */
final class Hints {
  /** Java names classes like this, also as elements of arrays. Other messages tell of other failures. */
  private static final Pattern CLASS = Pattern.compile("\\[*L?((?:[\\p{L}_$][\\p{L}\\p{N}_$]*/)*[\\p{L}_$][\\p{L}\\p{N}_$]*);?");
  private static final Pattern CLASS_FILE_VERSION = Pattern.compile("\\(class file version (\\d+)\\.");
  /** That of Java 1.0 is 44, and each newer one has the next. */
  private static final int BEFORE_JAVA_1 = 44;
  private static final Pattern RUNTIME = Pattern.compile("org/apache/kafka/connect/(?:runtime|util|storage|cli)/.*");

  private Hints() {}

  /** Null: its message says all that is known. */
  static String of(Throwable error) {
    String message = error.getMessage();
    if (message == null) return null;
    if (error instanceof UnsupportedClassVersionError) return newer(message);
    // Not its subclasses, which are about classes that exist.
    return error.getClass() == NoClassDefFoundError.class ? missing(message) : null;
  }

  private static String newer(String message) {
    Matcher version = CLASS_FILE_VERSION.matcher(message);
    if (!version.find()) return null;
    int needed = Integer.parseInt(version.group(1)) - BEFORE_JAVA_1;
    return "it needs Java " + needed + " or newer, and this JVM has " + System.getProperty("java.version")
        + ": set java.home to a newer Java";
  }

  private static String missing(String message) {
    Matcher named = CLASS.matcher(message);
    if (!named.matches()) return null;
    String jar =
        RUNTIME.matcher(named.group(1)).matches()
            ? "copy connect-runtime-" + AppInfoParser.getVersion() + ".jar"
            : "copy the jar that has it";
    return "this class is in no jar of the plugin's folder: " + jar + " into it";
  }
}
