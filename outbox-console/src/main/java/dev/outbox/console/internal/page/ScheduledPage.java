package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Operators;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.ScheduledEvents;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Scheduled events, the next one due first; delivery at once and withdrawal of one. */
final class ScheduledPage {

    private static final List<String> FIELDS = List.of("aggregateType", "aggregateId", "reason");
    private static final int SHOWN = 100;

    private final Views views;
    private final ScheduledEvents scheduled;

    ScheduledPage(Views views, ScheduledEvents scheduled) {
        this.views = views;
        this.scheduled = scheduled;
    }

    ServerResponse page(ServerRequest request) {
        return views.page(request, "scheduled", model(request, ""));
    }

    private Map<String, ?> model(ServerRequest request, String refused) {
        Inputs inputs = new Inputs(request);
        return Map.<String, Object>of(
                "refused",
                refused,
                "fields",
                inputs.texts(FIELDS),
                "events",
                scheduled.find(inputs.text("aggregateType"), inputs.text("aggregateId"), SHOWN),
                "shown",
                SHOWN);
    }

    ServerResponse deliver(ServerRequest request) {
        return change(request, "due", scheduled::deliverNow);
    }

    ServerResponse cancel(ServerRequest request) {
        return change(request, "withdrawn", scheduled::cancel);
    }

    /** Change of a scheduled event, with the operator and the reason. */
    private interface Change {
        boolean apply(UUID event, String operator, String reason);
    }

    private ServerResponse change(ServerRequest request, String outcome, Change change) {
        Inputs inputs = new Inputs(request);
        UUID event = inputs.uuid("event");
        if (event == null) {
            throw new InvalidOperationException("The request names no event.");
        }
        try {
            boolean changed = change.apply(event, Operators.of(request), inputs.required("reason"));
            return views.redirect(request, views.links(request).to("scheduled"), changed ? outcome : "moved");
        } catch (InvalidOperationException e) {
            return views.refused(request, "scheduled", model(request, event.toString()), e);
        }
    }
}
