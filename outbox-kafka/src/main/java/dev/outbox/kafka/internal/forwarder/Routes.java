package dev.outbox.kafka.internal.forwarder;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerConfigurationException;
import dev.outbox.NonRetryableException;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** All routes of this instance. An event must not belong to two of them. */
public final class Routes {

    private final List<Route> routes;

    /** Throws a {@link HandlerConfigurationException} if two routes select the same events. */
    public Routes(Collection<Route> routes) {
        this.routes = List.copyOf(routes);
        for (int i = 0; i < this.routes.size(); i++) {
            for (Route other : this.routes.subList(0, i)) {
                requireDisjoint(other, this.routes.get(i));
            }
        }
    }

    private static void requireDisjoint(Route one, Route other) {
        Set<String> shared = one.selector().shared(other.selector());
        if (!shared.isEmpty()) {
            throw new HandlerConfigurationException(one.property() + " and " + other.property() + " both select the "
                    + new Selector(one.selector().kind(), shared)
                    + "; an event goes to one topic only, so name it in one route");
        }
    }

    /** Returns the routes in the order of their names. */
    public List<Route> all() {
        return routes;
    }

    /** Returns the route with this name. */
    public Route named(String name) {
        return routes.stream()
                .filter((route) -> route.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no route " + name));
    }

    /** Throws a {@link NonRetryableException} if an event belongs to several routes. */
    void requireOne(EventEnvelope event) {
        List<String> taking = routes.stream()
                .filter((route) -> route.takes(event))
                .map(Route::property)
                .toList();
        if (taking.size() > 1) {
            throw new NonRetryableException("the event belongs to " + String.join(" and ", taking)
                    + ", and none of them has sent it; an event goes to one topic only, so let one of them select it");
        }
    }
}
