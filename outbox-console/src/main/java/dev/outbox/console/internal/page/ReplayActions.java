package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Operators;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.Replays;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Start and cancellation of replays. */
final class ReplayActions {

    private final Views views;
    private final Replays replays;

    ReplayActions(Views views, Replays replays) {
        this.views = views;
        this.replays = replays;
    }

    ServerResponse start(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        long id = replays.start(new ReplayForm(inputs).request(), Operators.of(request), inputs.required("reason"));
        return redirect(request, String.valueOf(id), "started");
    }

    ServerResponse cancel(ServerRequest request) {
        long id = new Inputs(request).number("replay", 0);
        boolean cancelled = replays.cancel(id, Operators.of(request));
        return redirect(request, String.valueOf(id), cancelled ? "cancelled" : "unchanged");
    }

    private ServerResponse redirect(ServerRequest request, String id, String outcome) {
        return views.redirect(request, views.links(request).to("replays/" + id, "outcome", outcome));
    }
}
