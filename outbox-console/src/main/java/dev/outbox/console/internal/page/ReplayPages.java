package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.Replay;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import java.util.Map;
import java.util.Optional;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Replays: the list, the wizard that starts one, and its progress. */
final class ReplayPages {

    private final Views views;
    private final Replays replays;
    private final Snapshots snapshots;

    ReplayPages(Views views, Replays replays, Snapshots snapshots) {
        this.views = views;
        this.replays = replays;
        this.snapshots = snapshots;
    }

    ServerResponse list(ServerRequest request) {
        return views.page(request, "replays", Map.<String, Object>of("replays", replays.list()));
    }

    ServerResponse form(ServerRequest request) {
        return views.page(
                request,
                "replay-form",
                Map.<String, Object>of(
                        "fields",
                        new ReplayForm(new Inputs(request)).fields(),
                        "handlers",
                        snapshots.latest().overview().handlers()));
    }

    ServerResponse preview(ServerRequest request) {
        ReplayForm form = new ReplayForm(new Inputs(request));
        ReplayRequest replay = form.request();
        OutboxOverview.Handler handler = snapshots.latest().overview().handlers().stream()
                .filter((known) -> known.id().equals(replay.handlerId()))
                .findFirst()
                .orElseThrow(() -> new InvalidOperationException(
                        "No instance has registered a handler '" + replay.handlerId() + "'."));
        return views.page(
                request,
                "replay-preview",
                Map.<String, Object>of("fields", form.fields(), "replay", replay, "handler", handler));
    }

    ServerResponse page(ServerRequest request) {
        return shown(request, false);
    }

    ServerResponse live(ServerRequest request) {
        return shown(request, true);
    }

    private ServerResponse shown(ServerRequest request, boolean live) {
        String id = request.pathVariable("id");
        Optional<Replay> replay = id.matches("\\d{1,18}") ? replays.find(Long.parseLong(id)) : Optional.empty();
        if (replay.isEmpty()) {
            return views.notFound(request, "There is no replay " + id + ".");
        }
        Map<String, ?> model = Map.<String, Object>of("replay", replay.get());
        return live ? views.fragment(request, "replay", "live", model) : views.page(request, "replay", model);
    }
}
