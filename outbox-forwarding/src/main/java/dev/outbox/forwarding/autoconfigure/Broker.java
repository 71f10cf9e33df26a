package dev.outbox.forwarding.autoconfigure;

import org.springframework.util.StringUtils;

/**
 * Broker, and the names of everything that its routes have.
 *
 * @param id in properties, beans and handler ids, such as {@code kafka}
 * @param name in messages, such as {@code Kafka}
 */
public record Broker(String id, String name) {

    /** Returns the prefix of the properties of all routes. */
    public String routes() {
        return "outbox." + id + ".routes";
    }

    /** Returns the prefix of the properties of a route. */
    public String property(String route) {
        return routes() + "." + route;
    }

    /** Returns the id of the handler of a route. */
    String handler(String route) {
        return id + "-" + route;
    }

    /** Returns the name of the bean with the handler of a route. */
    String bean(String route) {
        return "outbox" + StringUtils.capitalize(id) + "Route." + route;
    }

    /** Returns the name of the bean with the {@link RouteLifecycle}. */
    String lifecycle() {
        return "outbox" + StringUtils.capitalize(id) + "Lifecycle";
    }
}
