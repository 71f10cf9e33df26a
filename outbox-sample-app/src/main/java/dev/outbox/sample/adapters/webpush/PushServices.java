package dev.outbox.sample.adapters.webpush;

import java.net.URI;
import java.util.List;
import java.util.Locale;

/** Push services to which this service sends. Endpoints come from users, who could otherwise let it send requests to any host. */
final class PushServices {

    private static final String ANY_HOST = "://*.";

    private final List<String> origins;

    PushServices(List<String> origins) {
        this.origins = List.copyOf(origins);
    }

    boolean contain(URI endpoint) {
        String origin = (endpoint.getScheme() + "://" + endpoint.getRawAuthority()).toLowerCase(Locale.ROOT);
        return origins.stream().anyMatch((allowed) -> matches(allowed, origin));
    }

    private static boolean matches(String allowed, String origin) {
        int wildcard = allowed.indexOf(ANY_HOST);
        return wildcard < 0
                ? origin.equals(allowed)
                : isHost(origin)
                        && origin.startsWith(allowed.substring(0, wildcard) + "://")
                        && origin.endsWith(allowed.substring(wildcard + ANY_HOST.length() - 1));
    }

    /** Refuses user names and ports, with which an authority could end like a push service and belong to another host. */
    private static boolean isHost(String origin) {
        return origin.matches("[a-z]+://[a-z0-9.-]+");
    }
}
