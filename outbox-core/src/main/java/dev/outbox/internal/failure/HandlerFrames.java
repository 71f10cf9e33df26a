package dev.outbox.internal.failure;

import java.util.ArrayList;
import java.util.List;

/** Frames of a handler: without its callers in Outbox, and without the proxies and reflection in between. */
public final class HandlerFrames {

    private static final List<String> CALLERS =
            List.of("dev.outbox.internal.dispatch.", "dev.outbox.internal.deadletter.");

    private static final List<String> PLUMBING = List.of(
            "dev.outbox.HandlerDefinition",
            "dev.outbox.spring.",
            "java.lang.invoke.",
            "java.lang.reflect.",
            "jdk.internal.reflect.",
            "jdk.proxy",
            "org.springframework.aop.",
            "org.springframework.cglib.",
            "org.springframework.transaction.interceptor.");

    private static final String PROXY_CLASS = "$$SpringCGLIB$$";

    private HandlerFrames() {}

    /** Returns the frames of a stack trace that its handler explains; the innermost whatever it is, and all if the handler has none. */
    public static List<StackTraceElement> of(List<StackTraceElement> trace) {
        List<StackTraceElement> frames = new ArrayList<>();
        for (StackTraceElement frame : trace) {
            if (isIn(CALLERS, frame)) {
                break;
            }
            if (frames.isEmpty() || !isPlumbing(frame)) {
                frames.add(frame);
            }
        }
        return frames.isEmpty() ? trace : frames;
    }

    private static boolean isPlumbing(StackTraceElement frame) {
        return frame.getClassName().contains(PROXY_CLASS) || isIn(PLUMBING, frame);
    }

    private static boolean isIn(List<String> prefixes, StackTraceElement frame) {
        return prefixes.stream().anyMatch(frame.getClassName()::startsWith);
    }
}
