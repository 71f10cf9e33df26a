package dev.outbox.spring.autoconfigure.tracing;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Header {@code traceparent} of W3C Trace Context. */
record TraceParent(String traceId, String spanId, boolean sampled) {

    static final String HEADER = "traceparent";

    private static final int TRACE_ID = 3;
    private static final int SPAN_ID = 36;
    private static final int FLAGS = 53;
    private static final int LENGTH = 55;
    private static final int SAMPLED = 1;

    /** Reads a header; returns {@code null} if it is missing or invalid. */
    static @Nullable TraceParent parse(@Nullable String header) {
        if (header == null || header.length() < LENGTH || (header.length() > LENGTH && header.charAt(LENGTH) != '-')) {
            return null;
        }
        String traceId = header.substring(TRACE_ID, SPAN_ID - 1);
        String spanId = header.substring(SPAN_ID, FLAGS - 1);
        String flags = header.substring(FLAGS, LENGTH);
        boolean dashed = header.charAt(TRACE_ID - 1) == '-'
                && header.charAt(SPAN_ID - 1) == '-'
                && header.charAt(FLAGS - 1) == '-';
        if (!dashed || !isId(traceId) || !isId(spanId) || !isHex(flags)) {
            return null;
        }
        return new TraceParent(traceId, spanId, (Integer.parseInt(flags, 16) & SAMPLED) != 0);
    }

    /** An id has a digit other than zero. */
    private static boolean isId(String text) {
        return isHex(text) && text.chars().anyMatch((digit) -> digit != '0');
    }

    private static boolean isHex(String text) {
        return text.chars().allMatch((digit) -> HexFormat.isHexDigit(digit) && !Character.isUpperCase(digit));
    }
}
