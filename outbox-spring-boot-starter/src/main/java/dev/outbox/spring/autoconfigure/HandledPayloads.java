package dev.outbox.spring.autoconfigure;

import java.util.Optional;

/** Which handler takes the objects of a class. Knows none until the application has started. */
@FunctionalInterface
public interface HandledPayloads {

    /** Returns the id of a handler whose payload is the class. */
    Optional<String> handlerOf(Class<?> payload);
}
