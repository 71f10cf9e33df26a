package dev.outbox.console.internal.page;

import dev.outbox.console.internal.page.Snapshots.Latest;
import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Operators;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.Replay;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Replays and bulk retries and skips: the list, the wizard that starts a replay, the progress and the cancellation. */
final class ReplayPages {

    private static final List<String> FILTERS =
            List.of("handler", "eventType", "since", "until", "aggregateType", "aggregateId", "event");
    private static final List<String> FIELDS = List.of(
            "handler", "eventType", "since", "until", "aggregateType", "aggregateId", "event", "rate", "reason");
    private static final int DEFAULT_RATE = 100;
    private static final int LARGEST_RATE = 100_000;

    private final Views views;
    private final Replays replays;
    private final Snapshots snapshots;
    private final FailuresPage failures;

    ReplayPages(Views views, Replays replays, Snapshots snapshots, FailuresPage failures) {
        this.views = views;
        this.replays = replays;
        this.snapshots = snapshots;
        this.failures = failures;
    }

    ServerResponse list(ServerRequest request) {
        return views.page(request, "replays", Map.<String, Object>of("replays", replays.list()));
    }

    ServerResponse form(ServerRequest request) {
        return views.page(request, "replay-form", fields(request));
    }

    private Map<String, ?> fields(ServerRequest request) {
        Latest latest = snapshots.latest();
        Map<String, @Nullable Object> model = new HashMap<>();
        model.put("asOf", latest.asOf());
        model.put("fields", new Inputs(request).texts(FIELDS));
        model.put("handlers", latest.snapshot().overview().handlers());
        return model;
    }

    ServerResponse preview(ServerRequest request) {
        try {
            return preview(request, new Inputs(request));
        } catch (InvalidOperationException e) {
            return views.refused(request, "replay-form", fields(request), e);
        }
    }

    private ServerResponse preview(ServerRequest request, Inputs inputs) {
        ReplayRequest replay = replay(inputs);
        Latest latest = snapshots.latest();
        OutboxOverview.Handler handler = latest.snapshot().overview().handlers().stream()
                .filter((known) -> known.id().equals(replay.handlerId()))
                .findFirst()
                .orElseThrow(() -> new InvalidOperationException(
                        "No instance has registered a handler '" + replay.handlerId() + "'."));
        Map<String, @Nullable Object> model = new HashMap<>();
        model.put("asOf", latest.asOf());
        model.put("fields", inputs.texts(FIELDS));
        model.put("replay", replay);
        model.put("handler", handler);
        model.put("count", replays.countEvents(replay));
        return views.page(request, "replay-preview", model);
    }

    private static ReplayRequest replay(Inputs inputs) {
        return inputs.filters(FILTERS).replay("replay").rate(inputs.number("rate", DEFAULT_RATE, 1, LARGEST_RATE));
    }

    ServerResponse start(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        try {
            long id = replays.start(replay(inputs), Operators.of(request), inputs.required("reason"));
            return redirect(request, id, "started");
        } catch (InvalidOperationException e) {
            return views.refused(request, "replay-form", fields(request), e);
        }
    }

    /** Starts to retry or skip the deliveries of a group. */
    ServerResponse change(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        DeliverySelection selection = GroupSelection.of(inputs).deliveries();
        String action = inputs.required("action");
        try {
            int rate = inputs.number("rate", DEFAULT_RATE, 1, LARGEST_RATE);
            return redirect(request, change(request, action, selection, rate), "started");
        } catch (InvalidOperationException e) {
            return failures.refused(
                    request, Map.<String, Object>of("refused", action, "fields", inputs.texts(FIELDS)), e);
        }
    }

    private long change(ServerRequest request, String action, DeliverySelection selection, int rate) {
        String operator = Operators.of(request);
        String reason = new Inputs(request).required("reason");
        return switch (action) {
            case "retry" -> replays.retry(selection, rate, operator, reason);
            case "skip" -> replays.skip(selection, rate, operator, reason);
            default -> throw new InvalidOperationException("The console can retry and skip deliveries only.");
        };
    }

    /** Retries or skips what a bulk left. */
    ServerResponse again(ServerRequest request) {
        Optional<Replay> bulk = find(request).filter((replay) -> replay.deliveries() != null);
        if (bulk.isEmpty()) {
            return unknown(request);
        }
        Replay replay = bulk.get();
        try {
            String action = replay.kind().name().toLowerCase(Locale.ROOT);
            DeliverySelection left = Objects.requireNonNull(replay.left());
            return redirect(
                    request, change(request, action, left, replay.request().rate()), "started");
        } catch (InvalidOperationException e) {
            Map<String, @Nullable Object> model = model(replay);
            model.put("refused", "again");
            model.put("fields", new Inputs(request).texts(FIELDS));
            return views.refused(request, "replay", model, e);
        }
    }

    ServerResponse cancel(ServerRequest request) {
        long id = new Inputs(request).number("replay", 0);
        return redirect(request, id, replays.cancel(id, Operators.of(request)) ? "cancelled" : "unchanged");
    }

    private ServerResponse redirect(ServerRequest request, long id, String outcome) {
        return views.redirect(request, views.links(request).to("replays/" + id), outcome);
    }

    ServerResponse page(ServerRequest request) {
        return shown(request, false);
    }

    ServerResponse live(ServerRequest request) {
        return shown(request, true);
    }

    private ServerResponse shown(ServerRequest request, boolean live) {
        Optional<Replay> replay = find(request);
        if (replay.isEmpty()) {
            return unknown(request);
        }
        Map<String, ?> model = model(replay.get());
        return live ? views.fragment(request, "replay", "live", model) : views.page(request, "replay", model);
    }

    private Optional<Replay> find(ServerRequest request) {
        String id = request.pathVariable("id");
        return id.matches("\\d{1,18}") ? replays.find(Long.parseLong(id)) : Optional.empty();
    }

    private ServerResponse unknown(ServerRequest request) {
        return views.notFound(
                request, "There is no replay " + request.pathVariable("id") + ", or only a newer release knows it.");
    }

    /** A bulk that has ended comes with the number of the deliveries that it left. */
    private Map<String, @Nullable Object> model(Replay replay) {
        DeliverySelection left = replay.status() == Replay.Status.RUNNING ? null : replay.left();
        Map<String, @Nullable Object> model = new HashMap<>();
        model.put("replay", replay);
        model.put("left", left == null ? null : failures.total(left));
        return model;
    }
}
