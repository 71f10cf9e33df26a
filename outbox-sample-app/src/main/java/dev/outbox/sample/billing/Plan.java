package dev.outbox.sample.billing;

import java.util.Locale;
import java.util.stream.Stream;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** Plans, cheapest first, and the price of a period. */
enum Plan {
    BASIC(4_900),
    PRO(9_900),
    TEAM(29_900);

    static final String CURRENCY = "KRW";

    private final long price;

    Plan(long price) {
        this.price = price;
    }

    long price() {
        return price;
    }

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
