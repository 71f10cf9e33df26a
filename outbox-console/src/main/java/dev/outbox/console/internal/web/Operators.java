package dev.outbox.console.internal.web;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseCookie;
import org.springframework.web.servlet.function.ServerRequest;

/** Names of operators: the signed-in user, or in insecure mode what the operator typed last. Only a change carries a typed name. */
public final class Operators {

    private static final String NAME = "outbox-operator";
    private static final Duration KEPT = Duration.ofDays(30);

    private Operators() {}

    /** Returns the operator, or an empty name if the request has none. */
    public static String of(ServerRequest request) {
        return request.principal().map(Principal::getName).orElseGet(() -> typed(request));
    }

    private static String typed(ServerRequest request) {
        String field = field(request);
        return field != null ? field : remembered(request);
    }

    /** Reads the name of a form. A link cannot name the operator. */
    private static @Nullable String field(ServerRequest request) {
        return request.method().equals(HttpMethod.POST) ? new Inputs(request).text("operator") : null;
    }

    private static String remembered(ServerRequest request) {
        var cookie = request.cookies().getFirst(NAME);
        try {
            return cookie == null ? "" : URLDecoder.decode(cookie.getValue(), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** Returns the header that makes the browser remember a typed name. */
    static @Nullable String cookie(ServerRequest request, String path) {
        String typed = field(request);
        if (typed == null || request.principal().isPresent()) {
            return null;
        }
        return cookie(request, path, NAME, URLEncoder.encode(typed, StandardCharsets.UTF_8), KEPT);
    }

    /** Returns the header that makes the browser keep a value for the console. */
    static String cookie(ServerRequest request, String path, String name, String value, Duration kept) {
        return ResponseCookie.from(name, value)
                .path(path)
                .httpOnly(true)
                .secure(request.servletRequest().isSecure())
                .sameSite("Strict")
                .maxAge(kept)
                .build()
                .toString();
    }
}
