package dev.outbox.kafka.autoconfigure;

import java.util.Set;
import org.springframework.core.env.Environment;

/** Matches an application with at least one route. */
final class OnRoutes extends OnNames {

    OnRoutes() {
        super(ConfiguredRoutes.PREFIX, "route", "routes");
    }

    /** Returns the names of the routes. */
    static Set<String> names(Environment environment) {
        return names(environment, ConfiguredRoutes.PREFIX);
    }
}
