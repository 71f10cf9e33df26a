package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Links;
import dev.outbox.console.internal.web.Notice;
import dev.outbox.console.internal.web.Operators;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.Erasure;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Erased;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Erasure of an event or of the events of an aggregate, after their number was shown. */
final class ErasurePage {

    private static final List<String> FIELDS = List.of("event", "type", "id", "undelivered", "reason");

    private final Views views;
    private final OutboxOperations operations;
    private final Snapshots snapshots;

    ErasurePage(Views views, OutboxOperations operations, Snapshots snapshots) {
        this.views = views;
        this.operations = operations;
        this.snapshots = snapshots;
    }

    ServerResponse page(ServerRequest request) {
        return views.page(request, "erase", model(request));
    }

    private Map<String, ?> model(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        return Map.<String, Object>of(
                "fields", inputs.texts(FIELDS), "found", operations.countErasable(erasure(inputs)));
    }

    private static Erasure erasure(Inputs inputs) {
        UUID event = inputs.uuid("event");
        return event == null
                ? Erasure.ofAggregate(inputs.required("type"), inputs.required("id"))
                : Erasure.ofEvents(List.of(event));
    }

    ServerResponse erase(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        Erasure all = erasure(inputs);
        Erasure chosen = switch (inputs.raw("undelivered")) {
            case "KEEP" -> all.afterDelivery();
            case "WITHDRAW" -> all.withoutDelivery();
            default -> all;
        };
        try {
            Erased erased = operations.erase(chosen, Operators.of(request), inputs.required("reason"));
            Links links = views.links(request);
            String event = inputs.text("event");
            return views.redirect(
                    request,
                    event == null ? links.lane(inputs.raw("type"), inputs.raw("id")) : links.event(event),
                    Notice.of(
                            erased.remaining().exact() ? "erased" : "erased+",
                            erased.erased(),
                            erased.remaining().value()));
        } catch (InvalidOperationException e) {
            return views.refused(request, "erase", model(request), e);
        } finally {
            snapshots.expire();
        }
    }
}
