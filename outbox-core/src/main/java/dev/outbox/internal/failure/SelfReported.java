package dev.outbox.internal.failure;

/** Failure of an attempt that the handler reports itself, once for all attempts: the dispatcher logs it at DEBUG only. */
public interface SelfReported {}
