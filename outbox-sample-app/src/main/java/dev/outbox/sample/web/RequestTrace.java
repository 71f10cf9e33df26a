package dev.outbox.sample.web;

import dev.outbox.EventEnvelope;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Assigns a trace to each request: the caller's, from the W3C header {@code traceparent}, or a new one. The outbox passes the trace id
 * to the handlers of the published events, so that one search finds all log lines.
 */
@Component
final class RequestTrace extends OncePerRequestFilter {

    private static final Pattern TRACEPARENT = Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*");

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        MDC.put(EventEnvelope.TRACE_ID, traceId(request.getHeader("traceparent")));
        try {
            chain.doFilter(request, response);
        } finally {
            MDC.remove(EventEnvelope.TRACE_ID);
        }
    }

    private static String traceId(@Nullable String traceparent) {
        Matcher caller = TRACEPARENT.matcher(traceparent == null ? "" : traceparent);
        return caller.matches() ? caller.group(1) : UUID.randomUUID().toString().replace("-", "");
    }
}
