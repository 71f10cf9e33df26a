package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Notice;
import dev.outbox.console.internal.web.Operators;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliverySelection.Place;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Retry or skip of a whole group, a step at a time. The browser asks for each step and brings along all that it needs, so any instance can
 * serve it and a restart loses nothing.
 */
final class BulkActions {

    private static final int LARGEST_RATE = 1000;
    private static final int DEFAULT_RATE = 100;

    private final Views views;
    private final OutboxInspector inspector;
    private final OutboxOperations operations;

    BulkActions(Views views, OutboxInspector inspector, OutboxOperations operations) {
        this.views = views;
        this.inspector = inspector;
        this.operations = operations;
    }

    /** Figures so far. */
    record Progress(Total total, long affected, long busy, Instant startedAt, boolean finished) {

        static Progress of(Inputs inputs, Instant startedAt) {
            return new Progress(
                    Total.of(inputs), inputs.number("affected", 0), inputs.number("busy", 0), startedAt, false);
        }

        Progress plus(long changed, long left) {
            return new Progress(total, affected + changed, busy + left, startedAt, false);
        }

        Progress done() {
            return new Progress(total, affected, busy, startedAt, true);
        }

        /** How many deliveries the bar shows as done. */
        public long handled() {
            return affected + busy;
        }

        /** The length of the bar. */
        public long most() {
            return finished ? Math.max(1, handled()) : Math.max(total.count(), handled() + 1);
        }
    }

    /** Handles the next deliveries, at most as many as the rate allows for a second, and answers with the form of the next step. */
    ServerResponse step(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        GroupSelection selection = GroupSelection.of(inputs);
        String action = inputs.required("action");
        int rate = inputs.number("rate", DEFAULT_RATE, 1, LARGEST_RATE);
        Progress before = Progress.of(inputs, startedAt(inputs));
        DeliverySelection open = selection.deliveries().created(null, before.startedAt());
        List<Delivery> step = operations.find(open, rate);
        Progress progress = before;
        GroupSelection next = selection;
        if (!step.isEmpty()) {
            Delivery last = step.get(step.size() - 1);
            progress = change(request, action, open.upTo(last.event().id(), last.handlerId()), before);
            next = selection.after(new Place(last.event().id(), last.handlerId()));
        }
        if (step.size() < rate) {
            progress = progress.done();
        }
        return answer(
                request,
                Map.<String, Object>of(
                        "selection", next,
                        "action", action,
                        "rate", rate,
                        "reason", inputs.required("reason"),
                        "progress", progress,
                        "outcome", outcome(action, progress)));
    }

    /** Returns the start of the first step by the clock of the database, which is also that of the deliveries. */
    private Instant startedAt(Inputs inputs) {
        Instant startedAt = inputs.time("startedAt");
        return startedAt == null ? inspector.overview().at() : startedAt;
    }

    private Progress change(ServerRequest request, String action, DeliverySelection step, Progress before) {
        String operator = Operators.of(request);
        String reason = new Inputs(request).required("reason");
        OutboxOperations.Changed changed = switch (action) {
            case "retry" -> operations.retry(step, operator, reason);
            case "skip" -> operations.skip(step, operator, reason);
            default -> throw new InvalidOperationException("The console can retry and skip deliveries only.");
        };
        return before.plus(changed.affected(), changed.busy());
    }

    private static String outcome(String action, Progress progress) {
        return Notice.deliveries(action.equals("retry") ? "retried" : "skipped", progress.affected(), progress.busy())
                .text();
    }

    private ServerResponse answer(ServerRequest request, Map<String, ?> model) {
        boolean live = "true".equals(request.headers().firstHeader("HX-Request"));
        return live ? views.fragment(request, "bulk", "step", model) : views.page(request, "bulk", model);
    }
}
