package dev.outbox.console.internal.web;

import java.net.URI;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.servlet.function.ServerRequest;

/** Decides whether a page of the console sent a request, and not one of another site. */
final class SameOrigin {

    private static final Set<String> TRUSTED_SITES = Set.of("same-origin", "none");

    private SameOrigin() {}

    /** Trusts what the browser says about the sender; without any word of it, refuses. */
    static boolean sent(ServerRequest request) {
        HttpHeaders headers = request.headers().asHttpHeaders();
        String site = headers.getFirst("Sec-Fetch-Site");
        if (site != null) {
            return TRUSTED_SITES.contains(site);
        }
        String sender = headers.getFirst(HttpHeaders.ORIGIN);
        return isOwn(sender != null ? sender : headers.getFirst(HttpHeaders.REFERER), request);
    }

    private static boolean isOwn(@Nullable String sender, ServerRequest request) {
        if (sender == null) {
            return false;
        }
        try {
            URI uri = URI.create(sender);
            String host = request.headers().asHttpHeaders().getFirst(HttpHeaders.HOST);
            return uri.getHost() != null
                    && (uri.getRawAuthority().equalsIgnoreCase(host) || isForwardedHost(uri, request));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Behind a proxy whose forwarded headers the application trusts, the request knows the host that the browser called. */
    private static boolean isForwardedHost(URI sender, ServerRequest request) {
        URI called = request.uri();
        return sender.getHost().equalsIgnoreCase(called.getHost())
                && called.getScheme().equalsIgnoreCase(sender.getScheme())
                && sender.getPort() == called.getPort();
    }
}
