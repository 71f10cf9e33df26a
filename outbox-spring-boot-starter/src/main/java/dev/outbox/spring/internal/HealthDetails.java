package dev.outbox.spring.internal;

import java.util.Map;
import java.util.function.Supplier;

/** Details that a module adds to the health of the outbox, without changing its status. Answers at once. */
@FunctionalInterface
public interface HealthDetails extends Supplier<Map<String, Object>> {}
