package org.apache.kafka.connect.runtime.errors;

/** Stands in for the class of this name in connect-runtime: what plug-ins use of it. */
public class ProcessingContext<T> {
  private final T original;

  public ProcessingContext(T original) {
    this.original = original;
  }

  public T original() {
    return original;
  }
}
