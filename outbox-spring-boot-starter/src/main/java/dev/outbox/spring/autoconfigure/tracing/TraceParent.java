package dev.outbox.spring.autoconfigure.tracing;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Header {@code traceparent} of W3C Trace Context. */
record TraceParent(String traceId, String spanId, boolean sampled) {

    static final String HEADER = "traceparent";

    /** Version, trace id, span id and flags; an id has a digit other than zero, and a later version may append fields. */
    private static final Pattern FORMAT =
            Pattern.compile("..-(?!0+-)([0-9a-f]{32})-(?!0+-)([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?", Pattern.DOTALL);

    private static final int SAMPLED = 1;

    /** Reads a header; returns {@code null} if it is missing or invalid. */
    static @Nullable TraceParent parse(@Nullable String header) {
        Matcher fields = FORMAT.matcher(header == null ? "" : header);
        return fields.matches()
                ? new TraceParent(
                        fields.group(1), fields.group(2), (Integer.parseInt(fields.group(3), 16) & SAMPLED) != 0)
                : null;
    }
}
