package dev.outbox.sample.billing;

import java.util.Locale;
import java.util.stream.Stream;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** Plans, cheapest first. */
enum Plan {
    BASIC,
    PRO,
    TEAM;

    String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isAbove(Plan other) {
        return compareTo(other) > 0;
    }

    static Plan of(String code) {
        return Stream.of(values())
                .filter((plan) -> plan.code().equals(code))
                .findFirst()
                .orElseThrow(() -> new ResponseStatusException(
                        HttpStatus.BAD_REQUEST, "planCode must be basic, pro or team: " + code));
    }
}
