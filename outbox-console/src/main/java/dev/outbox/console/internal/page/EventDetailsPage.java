package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.EventDetails;
import dev.outbox.operations.EventDetails.HandlerProgress;
import dev.outbox.operations.EventDetails.Outcome;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.spring.internal.RequestFilters;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** One event: what happened to it, and its deliveries. */
final class EventDetailsPage {

    private static final Logger log = LoggerFactory.getLogger(EventDetailsPage.class);
    private static final String TRACE_ID = "traceId";

    private final Views views;
    private final OutboxInspector inspector;
    private final boolean showPayloads;

    EventDetailsPage(Views views, OutboxInspector inspector, boolean showPayloads) {
        this.views = views;
        this.inspector = inspector;
        this.showPayloads = showPayloads;
    }

    ServerResponse page(ServerRequest request) {
        UUID id = RequestFilters.uuid("event id", request.pathVariable("id"));
        return shown(request, id, (model) -> views.page(request, "event", model));
    }

    /** Shows the event of a form that is refused. */
    ServerResponse refused(ServerRequest request, UUID id, Map<String, ?> form, InvalidOperationException problem) {
        return shown(request, id, (model) -> {
            model.putAll(form);
            return views.refused(request, "event", model, problem);
        });
    }

    private ServerResponse shown(
            ServerRequest request, UUID id, Function<Map<String, @Nullable Object>, ServerResponse> view) {
        Optional<EventDetails> event = inspector.findEvent(id);
        if (event.isEmpty()) {
            return views.notFound(request, "The event " + id + " does not exist, or is archived.");
        }
        Map<String, @Nullable Object> model = new HashMap<>();
        model.put("details", event.get());
        model.put("status", status(event.get()));
        model.put("timeline", Timeline.of(event.get()));
        model.put("erasure", erasure(event.get()));
        model.put("showPayloads", showPayloads);
        if (showPayloads) {
            content(id).ifPresent((content) -> {
                model.put("traceId", content.headers().get(TRACE_ID));
                model.put("headers", new TreeMap<>(content.headers()));
                model.put("payload", IndentedJson.of(content.payload()));
            });
        }
        return view.apply(model);
    }

    /** An event stays published while a replay of it is open or dead. */
    private static String status(EventDetails event) {
        EventDetails.Status status = event.progress().status();
        return event.handlers().stream()
                .filter((handler) -> status == EventDetails.Status.PUBLISHED && handler.delivery() != null)
                .map(HandlerProgress::outcome)
                .max(Comparator.comparing((outcome) -> outcome == Outcome.DEAD))
                .map((outcome) -> "REPLAY " + outcome)
                .orElse(status.name());
    }

    private static @Nullable Operation erasure(EventDetails event) {
        return event.operations().stream()
                .filter((operation) -> operation.action().equals("ERASE"))
                .findFirst()
                .orElse(null);
    }

    /** Reads the content, which a role without the privileges of a worker cannot. */
    private Optional<EventDetails.Content> content(UUID id) {
        try {
            return inspector.findContent(id);
        } catch (DataAccessException e) {
            log.debug("The content of event {} is not readable", id, e);
            return Optional.empty();
        }
    }
}
