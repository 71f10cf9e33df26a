package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Links;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.EventPage;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.spring.internal.RequestFilters;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Search for events: by one text that names an event, a trace, an aggregate or a type, or by several criteria. */
final class SearchPage {

    private static final int PAGE_SIZE = 50;
    private static final List<String> FIELDS =
            List.of("q", "aggregateType", "aggregateId", "eventType", "trace", "status", "after");
    private static final Map<String, String> CRITERIA = new TreeMap<>(Map.of(
            "eventType", "event type",
            "aggregateType", "aggregate type",
            "aggregateId", "aggregate id",
            "trace", "trace id"));
    private static final Pattern UUID_TEXT = Pattern.compile("(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final Pattern TRACE = Pattern.compile("(?i)[0-9a-f]{16}|[0-9a-f]{32}");

    private final Views views;
    private final OutboxInspector inspector;

    SearchPage(Views views, OutboxInspector inspector) {
        this.views = views;
        this.inspector = inspector;
    }

    ServerResponse page(ServerRequest request) {
        Map<String, String> fields = new Inputs(request).texts(FIELDS);
        fields.computeIfPresent("trace", (name, value) -> trace(value));
        Map<String, Object> model = new HashMap<>();
        model.put("fields", fields);
        String text = fields.get("q");
        try {
            String found = text == null ? null : find(views.links(request), text, model);
            if (found != null) {
                return views.redirect(request, found);
            }
            if (text == null && !fields.isEmpty()) {
                search(request, fields, model);
            }
            return views.page(request, "search", model);
        } catch (InvalidOperationException e) {
            return views.refused(request, "search", model, e);
        }
    }

    /** Returns the page of what a text names; otherwise puts the pages where it may be into the model. */
    private @Nullable String find(Links links, String text, Map<String, Object> model) {
        if (UUID_TEXT.matcher(text).matches()
                && inspector.findEvent(UUID.fromString(text)).isPresent()) {
            return links.event(text);
        }
        for (String id : spellings(text)) {
            List<String> types = inspector.aggregateTypes(id);
            if (types.size() == 1) {
                return links.to("search", "aggregateType", types.get(0), "aggregateId", id);
            }
            if (!types.isEmpty()) {
                model.put("types", types);
                model.put("id", id);
                return null;
            }
        }
        Map<String, String> further = new TreeMap<>();
        for (String criterion : CRITERIA.keySet()) {
            if (!criterion.equals("trace") || TRACE.matcher(text).matches()) {
                String value = criterion.equals("trace") ? trace(text) : text;
                EventPage first =
                        inspector.findEvents(new RequestFilters(Map.of(criterion, value)).events("search"), 1);
                if (!first.events().isEmpty()) {
                    return links.to("search", criterion, value);
                }
                if (first.next() != null) {
                    further.put(criterion, CRITERIA.get(criterion));
                }
            }
        }
        model.put("further", further);
        return null;
    }

    /** An aggregate id may have lost its capitals, or gained some, in a mail or a ticket. */
    private static List<String> spellings(String id) {
        return Stream.of(id, id.toUpperCase(Locale.ROOT), id.toLowerCase(Locale.ROOT))
                .distinct()
                .toList();
    }

    /** Trace ids are stored in small letters. */
    private static String trace(String text) {
        return TRACE.matcher(text).matches() ? text.toLowerCase(Locale.ROOT) : text;
    }

    private void search(ServerRequest request, Map<String, String> fields, Map<String, Object> model) {
        EventPage found = inspector.findEvents(new RequestFilters(fields).events("search"), PAGE_SIZE);
        model.put("found", found.events());
        if (found.next() != null) {
            Map<String, Object> next = new HashMap<>(fields);
            next.put("after", found.next());
            model.put("next", views.links(request).to("search", next));
        }
    }
}
