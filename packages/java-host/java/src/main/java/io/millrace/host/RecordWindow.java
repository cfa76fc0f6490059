package io.millrace.host;

/**
 * What is kept of the records that a sink was sent, by their number, until it is discarded. Numbers rise; most are
 * discarded in their order. From any thread.
 */
final class RecordWindow {
  private static final int MOST_SKIPPED = 1_000_000;

  private Object[] ring = new Object[1024];
  private long first;
  private long end;

  synchronized void add(long number, Object record) {
    if (number < end || number - end > MOST_SKIPPED)
      throw new IllegalArgumentException("Record " + number + " does not follow " + (end - 1));
    if (first == end) first = number;
    while (number - first >= ring.length) grow();
    end = number + 1;
    ring[at(number)] = record;
  }

  /** Null: there is none. */
  synchronized Object get(long number) {
    return number < first || number >= end ? null : ring[at(number)];
  }

  /** Replaces one that is kept. */
  synchronized void set(long number, Object record) {
    if (number >= first && number < end) ring[at(number)] = record;
  }

  synchronized void discard(long from, long to) {
    for (long number = Math.max(from, first); number <= to && number < end; number++) ring[at(number)] = null;
    while (first < end && ring[at(first)] == null) first++;
  }

  /** How many numbers it spans. */
  synchronized long size() {
    return end - first;
  }

  private int at(long number) {
    return (int) (number & ring.length - 1);
  }

  private void grow() {
    if (ring.length > Integer.MAX_VALUE / 4) throw new IllegalArgumentException("Too many records are kept");
    Object[] next = new Object[ring.length * 2];
    for (long number = first; number < end; number++) next[(int) (number & next.length - 1)] = ring[at(number)];
    ring = next;
  }
}
