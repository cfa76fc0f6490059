package io.millrace.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

/** The threads of one session. Each does its work in the order in which it came. */
public final class Lanes {
  public static final String MAIN = "main";
  private static final Runnable END = () -> {};

  private final Map<String, Lane> lanes = new HashMap<>();
  private Function<String, String> names = lane -> "millrace-" + lane;
  private Owner owner = Owner.HOST;
  private boolean ended;

  private record Lane(Thread thread, LinkedBlockingQueue<Runnable> work) {}

  /** For the threads that have not started. */
  synchronized void name(Owner owner, Function<String, String> names) {
    this.owner = owner;
    this.names = names;
  }

  /** Does nothing after the end. */
  public synchronized void run(String name, Runnable work) {
    if (ended) return;
    lanes.computeIfAbsent(name, this::start).work.add(work);
  }

  private Lane start(String name) {
    LinkedBlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
    Owner of = owner;
    Thread thread = new Thread(() -> {
      Owner.set(of.connector(), of.task());
      work(work);
    }, names.apply(name));
    thread.setDaemon(true);
    thread.start();
    return new Lane(thread, work);
  }

  private void work(LinkedBlockingQueue<Runnable> work) {
    while (true) {
      try {
        Runnable next = work.take();
        if (next == END) return;
        next.run();
        // What interrupted a plug-in's call must not reach the next one.
        Thread.interrupted();
      } catch (InterruptedException interrupted) {
        synchronized (this) {
          if (ended) return;
        }
      }
    }
  }

  /** Drops what has not started, and ends the threads once they are done with what they do. */
  synchronized void end() {
    ended = true;
    for (Lane lane : lanes.values()) {
      lane.work.clear();
      lane.work.add(END);
    }
  }

  synchronized void interrupt() {
    for (Lane lane : lanes.values()) lane.thread.interrupt();
  }

  synchronized List<Thread> threads() {
    List<Thread> threads = new ArrayList<>();
    for (Lane lane : lanes.values()) threads.add(lane.thread);
    return threads;
  }
}
