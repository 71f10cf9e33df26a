package dev.outbox.console.internal.web;

import dev.outbox.spring.internal.Rights;
import dev.outbox.spring.internal.Rights.Right;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.function.ServerRequest;

/**
 * Settings of the console.
 *
 * @param path the path below the context path, with a leading slash and none at the end
 * @param title the name of the application
 * @param rights who may do what, or {@code null} in insecure mode, which serves requests without a user too
 * @param showPayloads whether payloads and headers are shown
 */
public record ConsoleSettings(
        String path, String title, @Nullable Rights rights, boolean showPayloads) {

    boolean insecure() {
        return rights == null;
    }

    /** Returns whether the user of a request has a right. */
    boolean allow(Right right, ServerRequest request) {
        return rights == null || rights.allow(right, request.principal().orElse(null));
    }
}
