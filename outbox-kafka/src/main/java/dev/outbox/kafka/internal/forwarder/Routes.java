package dev.outbox.kafka.internal.forwarder;

import java.util.List;

/** All routes of this instance, in the order of their names. */
public record Routes(List<Route> all) {

    /** Copies the routes. */
    public Routes {
        all = List.copyOf(all);
    }

    /** Returns the route with this name. */
    public Route named(String name) {
        return all.stream()
                .filter((route) -> route.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no route " + name));
    }
}
