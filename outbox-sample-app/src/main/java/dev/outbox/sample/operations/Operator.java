package dev.outbox.sample.operations;

import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** Name of the operator for the operation log. */
final class Operator {

    private Operator() {}

    /** Returns the name of the login; without a login, the name in the request. */
    static String of(@Nullable Principal login, @Nullable String by) {
        if (login != null) {
            return login.getName();
        }
        if (by == null || by.isBlank()) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "by must name the operator, because there is no login");
        }
        return by;
    }
}
