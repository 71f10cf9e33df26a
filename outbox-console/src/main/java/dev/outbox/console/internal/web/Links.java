package dev.outbox.console.internal.web;

import dev.outbox.operations.FailureGroup;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.util.UriUtils;

/** Addresses of the pages, for templates and redirects. */
public final class Links {

    private final String base;
    private final Map<String, String> assets;

    Links(String base, Map<String, String> assets) {
        this.base = base;
        this.assets = assets;
    }

    /** Below the context path, and the path of Spring's servlet if it is not the root. */
    static String base(ServerRequest request, ConsoleSettings settings) {
        String path = request.requestPath().value();
        String within = request.requestPath().pathWithinApplication().value();
        return path.substring(0, path.length() - within.length()) + settings.path();
    }

    /** Address of the first page. */
    public String home() {
        return base.isEmpty() ? "/" : base;
    }

    /** Address of a page below the first one. */
    public String to(String page) {
        return base + "/" + page;
    }

    /** Address of a file for the browser. */
    public String asset(String name) {
        return base + "/assets/" + assets.get(name) + "/" + name;
    }

    /** Address of an event. */
    public String event(Object eventId) {
        return to("events/" + eventId);
    }

    /** Address of an aggregate's lanes. */
    public String lane(String aggregateType, String aggregateId) {
        return to("lanes", "type", aggregateType, "id", aggregateId);
    }

    /** Address of a group of failures, or of all failures of a handler. */
    public String group(String handlerId, @Nullable String errorCode) {
        return to("failures/group", "handler", handlerId, "errorCode", errorCode);
    }

    /** Address of a group: of its dead letters, or of what is retried if nothing is dead. */
    public String group(FailureGroup group) {
        return group.dead().value() > 0
                ? group(group.handlerId(), group.errorCode())
                : to("failures/group", "handler", group.handlerId(), "errorCode", group.errorCode(), "status", "OPEN");
    }

    /** Address of the events of a trace. */
    public String trace(String traceId) {
        return to("search", "trace", traceId);
    }

    /** Address of the confirmation of a pause or its end. */
    public String confirm(String action, String subject, String name) {
        return to("confirm", "action", action, "subject", subject, "name", name);
    }

    /** Address of a page with one parameter. */
    public String to(String page, String name, @Nullable Object value) {
        return to(page, parameter(name, value));
    }

    /** Address of a page with two parameters. */
    public String to(String page, String name, @Nullable Object value, String other, @Nullable Object otherValue) {
        return to(page, join(parameter(name, value), parameter(other, otherValue)));
    }

    /** Address of a page with three parameters. */
    public String to(
            String page,
            String name,
            @Nullable Object value,
            String other,
            @Nullable Object otherValue,
            String third,
            @Nullable Object thirdValue) {
        return to(page, join(join(parameter(name, value), parameter(other, otherValue)), parameter(third, thirdValue)));
    }

    /** Address of a page with parameters, of which those without a value are left out. */
    public String to(String page, Map<String, ?> parameters) {
        return to(
                page,
                new TreeMap<>(parameters)
                        .entrySet().stream()
                                .map((entry) -> parameter(entry.getKey(), entry.getValue()))
                                .filter((parameter) -> !parameter.isEmpty())
                                .collect(Collectors.joining("&")));
    }

    private String to(String page, String query) {
        return to(page) + (query.isEmpty() ? "" : "?" + query);
    }

    private static String join(String one, String other) {
        return one.isEmpty() || other.isEmpty() ? one + other : one + "&" + other;
    }

    private static String parameter(String name, @Nullable Object value) {
        return value == null || value.toString().isEmpty()
                ? ""
                : name + "=" + UriUtils.encode(value.toString(), StandardCharsets.UTF_8);
    }
}
