package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Operators;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.OutboxOperations;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Pause and resumption of handlers and streams. */
final class PauseActions {

    private final Views views;
    private final OutboxOperations operations;
    private final Snapshots snapshots;

    PauseActions(Views views, OutboxOperations operations, Snapshots snapshots) {
        this.views = views;
        this.operations = operations;
        this.snapshots = snapshots;
    }

    ServerResponse pause(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        String name = inputs.required("name");
        String reason = inputs.required("reason");
        boolean changed = isStream(inputs)
                ? operations.pauseStream(name, Operators.of(request), reason)
                : operations.pauseHandler(name, Operators.of(request), reason);
        return overview(request, changed ? "paused" : "unchanged");
    }

    ServerResponse resume(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        String name = inputs.required("name");
        String reason = inputs.required("reason");
        boolean changed = isStream(inputs)
                ? operations.resumeStream(name, Operators.of(request), reason)
                : operations.resumeHandler(name, Operators.of(request), reason);
        return overview(request, changed ? "resumed" : "unchanged");
    }

    private static boolean isStream(Inputs inputs) {
        return inputs.required("subject").equals("stream");
    }

    private ServerResponse overview(ServerRequest request, String outcome) {
        snapshots.expire();
        return views.redirect(request, views.links(request).home() + "?outcome=" + outcome);
    }
}
