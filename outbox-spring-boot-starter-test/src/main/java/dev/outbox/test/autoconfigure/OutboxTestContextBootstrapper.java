package dev.outbox.test.autoconfigure;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Bootstrapper of {@link OutboxTest @OutboxTest}. */
final class OutboxTestContextBootstrapper extends TestSliceTestContextBootstrapper<OutboxTest> {}
