package dev.outbox.console.internal.web;

import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.function.ServerRequest;

/**
 * Settings of the console.
 *
 * @param path the path below the context path, with a leading slash and none at the end
 * @param title the name of the application
 * @param access who may use it, or {@code null} in insecure mode, which serves requests without a user too
 * @param showPayloads whether payloads and headers are shown
 */
public record ConsoleSettings(
        String path, String title, @Nullable Access access, boolean showPayloads) {

    boolean insecure() {
        return access == null;
    }

    /** Returns whether the request may change deliveries, handlers and streams. */
    boolean mayChange(ServerRequest request) {
        return access == null || access.mayChange(request);
    }
}
